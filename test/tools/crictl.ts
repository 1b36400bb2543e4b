/** The official command line client of the CRI, built at a pinned version. */
import { goTool } from './go-tool.ts';
import { SHARED_MODULES } from './shared-modules.ts';

export const CRICTL_VERSION = 'v1.36.0';
const PACKAGE = 'sigs.k8s.io/cri-tools/cmd/crictl';

export function crictl(): Promise<string> {
	return goTool({
		name: `crictl-${CRICTL_VERSION}`,
		modules: [...SHARED_MODULES, `sigs.k8s.io/cri-tools/cmd/crictl@${CRICTL_VERSION}`],
		main: { package: PACKAGE },
	});
}
