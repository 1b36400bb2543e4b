/** Removes all that a shim made on this machine: its containers, bridge and packet filter rules. For `down --delete` and for tests. */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { readState } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { namePrefix } from './convert/names.ts';
import { removeContainer, stopContainer } from './engine/containers.ts';
import { connectEngine } from './engine/engine.ts';
import { destroyNetworks } from './network/compose.ts';
import { Helper, installHelper } from './network/helper.ts';
import { ImageVolumes } from './images/image-volumes.ts';
import type { ShimOptions } from './options.ts';
import { type Instance, INSTANCE_VERSION, instancePath } from './instance.ts';
import { ownContainers } from './start.ts';

/** What `down` gives containers to end by themselves. */
const DOWN_GRACE_SECONDS = 10;

/** The shim must have stopped. With `containersOnly` bridge and rules stay (a cluster that is down keeps its network's name). Nothing there is success. */
export async function destroyShim(
	options: Pick<ShimOptions, 'dataDir' | 'dockerHost' | 'clusterName' | 'cniBinDirs'>,
	{ clock, log }: { readonly clock: Clock; readonly log: Log },
	{ containersOnly = false } = {},
): Promise<void> {
	const saved = await readState<Instance>(instancePath(options.dataDir), INSTANCE_VERSION);
	if (saved?.instance === undefined || saved.subnet === undefined) return;
	const engine = await connectEngine(options.dockerHost);
	const containers = await ownContainers(engine, namePrefix(options.clusterName, saved.instance));
	const removals = await Promise.allSettled([...containers.values()].map(({ Id }) => removeContainer(engine, Id, clock)));
	for (const r of removals) if (r.status === 'rejected') log.warn('cannot remove a container', { error: messageOf(r.reason) });
	await new ImageVolumes(join(options.dataDir, 'image-volumes')).collect(new Set());
	if (containersOnly) return;
	const helper = new Helper(await installHelper(join(options.dataDir, 'bin')));
	await destroyNetworks(options, { instance: saved.instance, subnet: saved.subnet }, { helper, clock, log });
}

/** Stops the containers of a shim that has stopped, keeping everything else: for `down`. */
export async function stopContainers(
	options: Pick<ShimOptions, 'dataDir' | 'dockerHost' | 'clusterName'>,
	signal?: AbortSignal,
): Promise<void> {
	const saved = await readState<Instance>(instancePath(options.dataDir), INSTANCE_VERSION);
	if (saved?.instance === undefined) return;
	const engine = await connectEngine(options.dockerHost, signal);
	const containers = await ownContainers(engine, namePrefix(options.clusterName, saved.instance));
	const running = [...containers.values()].filter((c) => c.State.Running);
	await Promise.all(running.map(({ Id }) => stopContainer(engine, Id, DOWN_GRACE_SECONDS, signal)));
}
