/**
 * Programs of the repository kubernetes/kubernetes for its suite, built from its Go module once into `.cache/tools`, and what runs several of its tests at a time.
 * What they stand on is raised to the versions of the other tools (shared-modules.ts), so that most of it is compiled already.
 */
import { goTool, moduleSources, type GoTool } from '../../tools/go-tool.ts';
import { SHARED_MODULES } from '../../tools/shared-modules.ts';

export const KUBERNETES = 'v1.36.2';
const MODULE = 'k8s.io/kubernetes';
const GINKGO = 'github.com/onsi/ginkgo/v2/ginkgo';

/** The path of a program of Kubernetes, which says it is of that release; minutes, cold. */
export function kubernetesTool(name: string, main: Exclude<GoTool['main'], string>): Promise<string> {
	const [major, minor] = KUBERNETES.slice(1).split('.');
	const version = { gitVersion: KUBERNETES, gitMajor: major, gitMinor: minor };
	const ldflags = Object.entries(version).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`);
	return goTool({
		name: `${name}-${KUBERNETES}`,
		modules: [...SHARED_MODULES, `${'testPackage' in main ? main.testPackage : MODULE}@${KUBERNETES}`],
		main,
		ldflags: ldflags.join(' '),
		staged: { module: `${MODULE}@${KUBERNETES}`, version: KUBERNETES.replace('v1', 'v0') },
	});
}

/** The folder of its sources, without those of its API modules. */
export function kubernetesSources(): Promise<string> {
	return moduleSources(`${MODULE}@${KUBERNETES}`);
}

/** The suite itself. */
export function e2eTest(): Promise<string> {
	return kubernetesTool('e2e-test', { testPackage: `${MODULE}/test/e2e` });
}

/** What most of the suite's pods run. */
export function agnhost(): Promise<string> {
	return kubernetesTool('agnhost', { package: `${MODULE}/test/images/agnhost` });
}

/** The API server to be aggregated, of the release that its image is named for. */
export function sampleApiServer(): Promise<string> {
	const name = 'k8s.io/sample-apiserver';
	return goTool({ name: 'sample-apiserver-1.29', modules: [`${name}@v0.29.2`], main: { package: name } });
}

/** Of the version that the suite has in it: others do not understand each other. */
export function ginkgo(): Promise<string> {
	return goTool({ name: 'ginkgo', modules: SHARED_MODULES, main: { package: GINKGO } });
}
