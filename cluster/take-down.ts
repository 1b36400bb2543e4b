/** Taking a cluster down: its process first, then its containers, then, if asked, everything it ever made. */
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { noLog } from '../base/log.ts';
import { destroyShim, stopContainers } from '../cri/destroy.ts';
import { removeCgroup } from '../host/cgroup-remove.ts';
import { detachLoop, loopDevices } from '../host/loop.ts';
import { readMounts, unmount } from '../host/mounts.ts';
import { readClusterState } from './data-folder.ts';
import { send } from './end-processes.ts';
import { type Holder, holderOf, lifeOf, lockDataFolder } from './lock.ts';
import { findEngine } from './engine.ts';
import { cgroupParentOf, storageRunDir } from './layout.ts';
import { endPartsLeft } from './part-processes.ts';
import { endStarts } from './start-processes.ts';
import type { SettledOptions } from './options.ts';

export interface TakeDownDeps {
	readonly clock: Clock;
	readonly remove: boolean;
	readonly progress: (text: string) => void;
}

/** How long the cluster's process may take to stop. */
const STOP_MS = 30_000;

/** Resolves with 'unknown' when there is no such cluster, in both cases with no process of it left. Doing it twice is fine. */
export async function takeDown(options: SettledOptions, deps: TakeDownDeps): Promise<'done' | 'unknown'> {
	const { name, dataDir, dockerHost } = options;
	const holder = await holderOf(dataDir);
	if (holder !== undefined) await stopProcess(holder, deps);
	await endStarts(dataDir, STOP_MS, deps.clock);
	const state = await readClusterState(dataDir);
	if (state === undefined) {
		if (deps.remove) await removeRefusedStart(dataDir);
		return 'unknown';
	}
	await using _lock = await lockDataFolder(dataDir);
	await endPartsLeft(dataDir, deps.clock);
	const engine = await findEngine(dockerHost);
	if (engine === undefined)
		throw new AppError('Unavailable', 'Docker Engine does not answer, so the containers cannot be stopped. Start it and try again.');
	const shim = { dockerHost: engine.host, dataDir: join(dataDir, 'cri'), clusterName: name };
	if (!deps.remove) {
		await stopContainers(shim);
		return 'done';
	}
	await destroyShim(shim, { clock: deps.clock, log: noLog });
	await unmountBelow(dataDir);
	await freeDevices(dataDir, name);
	await removeCgroups(cgroupParentOf(name), deps.clock);
	await rm(dataDir, { recursive: true, force: true });
	return 'done';
}

/** A start that was refused at once leaves its logs; whatever else is in the folder is not a cluster's. */
async function removeRefusedStart(dataDir: string): Promise<void> {
	await rm(join(dataDir, 'lock'), { force: true });
	for (const name of ['kubeling.log', 'daemon.out']) await rm(join(dataDir, 'logs', name), { force: true });
	for (const folder of [join(dataDir, 'logs'), dataDir]) await rmdir(folder).catch(() => {});
}

/** Its lock alone does not tell: who has let go of that may still run. */
async function stopProcess(holder: Holder, { clock, progress }: TakeDownDeps): Promise<void> {
	progress(`Stopping process ${holder.pid}`);
	send(holder.pid, 'SIGTERM');
	let until = clock.monotonic() + STOP_MS;
	while ((await lifeOf(holder)) !== 'dead') {
		if (clock.monotonic() > until) {
			progress('It does not stop; killing it');
			send(holder.pid, 'SIGKILL');
			until = Number.POSITIVE_INFINITY;
		}
		await clock.sleep(20);
	}
}

/** The kernel lets go of a group a moment after its last process; one that stays busy is not ours to end. */
async function removeCgroups(parent: string, clock: Clock): Promise<void> {
	for (let tries = 0; tries < CGROUP_TRIES && (await removeCgroup(parent)).length > 0; tries++) await clock.sleep(CGROUP_RETRY_MS);
}

const CGROUP_TRIES = 20;
const CGROUP_RETRY_MS = 50;

/** Raw volumes have a device until they are unstaged; those of mounted ones went with their mounts. */
async function freeDevices(dataDir: string, name: string): Promise<void> {
	const own = (await loopDevices()).filter(({ backingFile }) => backingFile.startsWith(`${dataDir}/`));
	for (const device of own) await detachLoop(device).catch(() => {}); // gone meanwhile
	await rm(dirname(storageRunDir(name)), { recursive: true, force: true });
}

/** Volumes of pods that are still mounted (tmpfs, binds), deepest first. */
async function unmountBelow(dataDir: string): Promise<void> {
	const below = (await readMounts()).map((m) => m.path).filter((target) => target.startsWith(`${dataDir}/`));
	for (const target of below.toSorted((a, b) => b.length - a.length)) await unmount(target, { lazy: true });
}
