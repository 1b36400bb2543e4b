/**
 * csi-sanity, the official CSI suite, built from its Go module at pinned versions into `.cache/tools`. The specs are those of the version; dependencies are raised to those of the
 * other tools (shared-modules.ts), so that v5.5.0 has the ginkgo and gRPC of v5.6.0.
 */
import { goTool } from '../../tools/go-tool.ts';
import { SHARED_MODULES } from '../../tools/shared-modules.ts';

/** By version: how many specs can run. Of v5.5.0 one of 96 is disabled upstream. */
export const SANITY_VERSIONS = { 'v5.6.0': 102, 'v5.5.0': 95 } as const;
export type SanityVersion = keyof typeof SANITY_VERSIONS;

const MODULE = 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity';

export function csiSanity(version: SanityVersion): Promise<string> {
	return goTool({ name: `csi-sanity-${version}`, modules: [...SHARED_MODULES, `${MODULE}@${version}`], main: { package: MODULE } });
}
