/** Upstream's CSI sidecars, built from their Go modules at pinned versions into `.cache/tools`: in one module, since they share what they are made of, but for the provisioner, which compiles with the client-go of its own alone. */
import { goTool } from '../../tools/go-tool.ts';

/** By the name of the command. */
const SIDECARS = {
	'csi-attacher': 'github.com/kubernetes-csi/external-attacher/v4@v4.13.0',
	'csi-resizer': 'github.com/kubernetes-csi/external-resizer/v2@v2.3.0',
	'csi-snapshotter': 'github.com/kubernetes-csi/external-snapshotter/v8@v8.7.0',
} as const;
const PROVISIONER = 'github.com/kubernetes-csi/external-provisioner/v6@v6.3.0';
export type Sidecar = keyof typeof SIDECARS;
export const SIDECAR_NAMES = Object.keys(SIDECARS) as Sidecar[];

/** The folder that they are in. */
export function csiSidecars(): Promise<string> {
	const packages = Object.entries(SIDECARS).map(([command, module]) => `${module.replace(/@.*/, '')}/cmd/${command}`);
	const name = ['csi-sidecars', ...Object.values(SIDECARS).map((module) => module.replace(/.*@v/, ''))].join('-');
	return goTool({ name, modules: Object.values(SIDECARS), main: { packages } });
}

/** The path of the provisioner. */
export function csiProvisioner(): Promise<string> {
	const name = PROVISIONER.replace(/.*@v/, 'csi-provisioner-');
	return goTool({ name, modules: [PROVISIONER], main: { ownPackage: './cmd/csi-provisioner' } });
}
