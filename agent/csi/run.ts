/** The CSI side of an agent that runs: drivers come and go, and what a former life left half-way is finished. */
import { join } from 'node:path';
import { abortable } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { devicePlugins } from '../device/registration.ts';
import { watchPlugins } from '../plugin/plugin-watcher.ts';
import { keepAllocatable } from './allocatable.ts';
import { reconstructed } from './found.ts';
import { uniqueName } from './names.ts';
import { ensureCsiNode } from './node-objects.ts';
import { csiPlugins } from './registration.ts';
import { unstageOrphans } from './unmount.ts';

const ORPHANS_MS = 60_000;

interface Pods {
	wake(uid: string): void;
	/** All pods that are to run here are known. */
	known(): boolean;
}

/** What is mounted since an earlier life is in use. Before the node's first status. */
export async function findUsers({ csi, options, log, figures }: AgentContext): Promise<void> {
	const told = (podUid: string, volume: string, error: unknown): void => {
		figures.volumes.reconstructed(podUid, error === undefined);
		if (error !== undefined) log.warn('what is known of a volume cannot be read', { podUid, volume, reason: messageOf(error) });
	};
	const found = await reconstructed(options.rootDir, told).catch((error: unknown) => {
		log.error('cannot read which volumes are mounted', { reason: messageOf(error) });
		return [];
	});
	for (const { data, podUid } of found)
		if (data.volumeLifecycleMode !== 'Ephemeral') csi.use(uniqueName(data.driverName, data.volumeHandle), podUid);
}

/** @param registered resolves once the API has the Node */
export async function runCsi(context: AgentContext, registered: Promise<void>, pods: Pods, signal: AbortSignal): Promise<void> {
	const { client, clock, log, options, csi } = context;
	csi.begin(signal);
	await abortable(registered, signal).catch(() => {});
	if (signal.aborted) return;
	const where = { client, clock, nodeName: options.nodeName };
	const tell = (name: string): void => {
		for (const uid of csi.takeWaiting(name)) pods.wake(uid);
	};
	const kinds = {
		CSIPlugin: csiPlugins({
			...{ ...where, drivers: csi.drivers, signal, registered: tell },
			called: (driver, call) => context.figures.volumes.called(driver, call),
		}),
		DevicePlugin: devicePlugins(context.placed.devices),
		DRAPlugin: context.dra.plugins,
	};
	await Promise.all([
		context.dra.plugins.begin(signal),
		ensureCsiNode(where, signal).catch(() => {}),
		watchPlugins({ folder: join(options.rootDir, 'plugins_registry'), kinds, clock, log, registry: context.figures.registry }, signal),
		everyMinute(context, pods, signal),
		keepAllocatable(context, signal).catch((error: unknown) => {
			if (!signal.aborted) throw error;
		}),
	]);
	csi.drivers.close();
}

async function everyMinute(context: AgentContext, pods: Pods, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await context.clock.sleep(ORPHANS_MS, signal).catch(() => {});
		if (signal.aborted || !pods.known()) continue;
		await unstageOrphans(context).catch((error: unknown) => context.log.warn('cannot unstage a volume', { reason: messageOf(error) }));
	}
}
