/** kubectl of any minor version: the ten-line main that upstream's own binary is. */
import { goTool } from './go-tool.ts';
import { SHARED_MODULES } from './shared-modules.ts';

const MAIN = `package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
`;

/** The versions that tests drive: module version by minor. */
export const KUBECTL_VERSIONS = { '1.29': 'v0.29.6', '1.31': 'v0.31.3', '1.33': 'v0.33.4', '1.36': 'v0.36.2' } as const;
export type KubectlVersion = keyof typeof KUBECTL_VERSIONS;

/** The path of kubectl of that minor version. */
export function kubectl(version: KubectlVersion = '1.36'): Promise<string> {
	const module = KUBECTL_VERSIONS[version];
	const gitVersion = `v1${module.slice(2)}`;
	const [major, minor] = version.split('.');
	const set = (name: string, value: string | undefined): string => `-X k8s.io/component-base/version.${name}=${value}`;
	return goTool({
		name: `kubectl-${version}`,
		modules: version === '1.36' ? SHARED_MODULES : [`k8s.io/kubectl@${module}`, `k8s.io/component-base@${module}`],
		main: MAIN,
		ldflags: `${set('gitVersion', gitVersion)} ${set('gitMajor', major)} ${set('gitMinor', minor)}`,
	});
}

if (import.meta.main) for (const version of Object.keys(KUBECTL_VERSIONS) as KubectlVersion[]) console.log(await kubectl(version));
