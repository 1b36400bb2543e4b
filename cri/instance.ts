/** What one shim is called on the engine, and its pods' network: chosen once, kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readState, writeState } from '../base/files.ts';
import { chooseSubnet } from './network/bridge.ts';
import { formatSubnet, localSubnet6 } from './network/subnet.ts';
import type { ShimOptions } from './options.ts';

export interface Instance {
	/** Random: engine names of two shims never meet, whatever their clusters are called. */
	readonly instance: string;
	readonly subnet: string;
	/** The control plane gave the network: nothing is added to it. */
	readonly assigned?: boolean | undefined;
}

export const INSTANCE_VERSION = 1;

export function instancePath(dataDir: string): string {
	return join(dataDir, 'instance.json');
}

export async function loadInstance(options: Pick<ShimOptions, 'dataDir' | 'podSubnet' | 'dualStack'>): Promise<Instance> {
	const path = instancePath(options.dataDir);
	const saved = await readState<Instance>(path, INSTANCE_VERSION);
	const instance = saved?.instance ?? randomBytes(4).toString('hex');
	const chosen = await chooseSubnet(options.podSubnet, saved?.subnet);
	const assigned = options.podSubnet === undefined && saved?.assigned === true;
	const addIpv6 = options.podSubnet === undefined && options.dualStack === true && !assigned && !chosen.includes(':');
	const subnet = addIpv6 ? `${chosen},${formatSubnet(localSubnet6(instance))}` : chosen;
	if (saved?.instance !== instance || saved.subnet !== subnet) await writeState(path, INSTANCE_VERSION, { instance, subnet, assigned });
	return { instance, subnet, assigned };
}

/** The range that the control plane gave this node: kept, so that the next start begins with it. */
export async function saveSubnet({ dataDir }: Pick<ShimOptions, 'dataDir'>, instance: string, subnet: string): Promise<void> {
	await writeState(instancePath(dataDir), INSTANCE_VERSION, { instance, subnet, assigned: true });
}
