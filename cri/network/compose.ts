/** The pod networks of a shim, put together from its options. */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { HostAbilities } from '../host-abilities.ts';
import type { Instance } from '../instance.ts';
import type { ShimOptions } from '../options.ts';
import { BridgeNetwork, bridgeName } from './bridge.ts';
import { CniNetworks, type CniOptions } from './cni/cni-network.ts';
import { EngineNetwork } from './engine-network.ts';
import type { Helper } from './helper.ts';
import { PodNetworks } from './networks.ts';

/** Where every runtime looks. */
export const CNI_CONF_DIR = '/etc/cni/net.d';
const CNI_BIN_DIRS = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'];

interface Deps {
	readonly helper: Helper;
	readonly clock: Clock;
	readonly log: Log;
}

export function podNetworks(
	options: ShimOptions,
	{ instance, subnet }: Instance,
	{ rootless }: Pick<HostAbilities, 'rootless'>,
	deps: Deps,
): PodNetworks {
	const mode = options.network ?? 'auto';
	const cni = mode === 'cni' || (mode === 'auto' && !rootless);
	return new PodNetworks({
		mode,
		rootless,
		bridge: new BridgeNetwork(bridgeName(options.clusterName, instance), subnet, deps),
		keepBridge: options.podSubnet !== undefined && !rootless && mode !== 'engine',
		cni: cni ? new CniNetworks(cniOptions(options), deps) : undefined,
		engine: new EngineNetwork(),
	});
}

/** Removes all that the networks of a shim made; it must have stopped. */
export async function destroyNetworks(
	options: Pick<ShimOptions, 'dataDir' | 'clusterName' | 'cniBinDirs'>,
	{ instance, subnet }: Instance,
	deps: Deps,
): Promise<void> {
	await new CniNetworks(cniOptions(options), deps).destroy();
	const bridge = new BridgeNetwork(bridgeName(options.clusterName, instance), subnet, deps);
	await bridge.destroy();
	await bridge.stop();
}

function cniOptions({ dataDir, cniConfDir, cniBinDirs }: Pick<ShimOptions, 'dataDir' | 'cniConfDir' | 'cniBinDirs'>): CniOptions {
	return { confDir: cniConfDir ?? CNI_CONF_DIR, binDirs: cniBinDirs ?? CNI_BIN_DIRS, cacheDir: join(dataDir, 'cni') };
}
