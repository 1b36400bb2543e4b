/** The upstream CNI plug-ins, built once into `.cache/tools`. */
import { goTool } from './go-tool.ts';
import { SHARED_MODULES } from './shared-modules.ts';

const VERSION = 'v1.9.1';
const MODULE = 'github.com/containernetworking/plugins';
const PLUGINS = [
	'main/bridge',
	'main/loopback',
	'main/ptp',
	'ipam/host-local',
	'meta/portmap',
	'meta/bandwidth',
	'meta/firewall',
	'meta/tuning',
];

/** The folder of bridge, loopback, ptp, host-local, portmap, bandwidth, firewall and tuning. */
export function cniPlugins(): Promise<string> {
	const packages = PLUGINS.map((plugin) => `${MODULE}/plugins/${plugin}`);
	return goTool({ name: `cni-plugins-${VERSION}`, modules: [...SHARED_MODULES, `${MODULE}@${VERSION}`], main: { packages } });
}
