/** helm at a pinned version, its dependencies raised to those of the other tools (shared-modules.ts): gRPC and protobuf are later than its own go.mod has them. */
import { goTool } from './go-tool.ts';
import { SHARED_MODULES } from './shared-modules.ts';

const VERSION = 'v3.21.4';

export function helm(): Promise<string> {
	return goTool({
		name: `helm-${VERSION}`,
		modules: [...SHARED_MODULES, `helm.sh/helm/v3/cmd/helm@${VERSION}`],
		main: { package: 'helm.sh/helm/v3/cmd/helm' },
		ldflags: `-X helm.sh/helm/v3/internal/version.version=${VERSION}`,
	});
}

if (import.meta.main) console.log(await helm());
