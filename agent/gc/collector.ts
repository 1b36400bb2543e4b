/** Takes away what no pod needs any more: dead containers and sandboxes, folders and logs of pods that are gone, unused images on a full disk. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import { removeDeadLinks } from '../container/log-link.ts';
import type { AgentContext } from '../context.ts';
import { podLogFolderUid, podsFolder, terminationFile } from '../pod/folders.ts';
import type { PodWorkers } from '../pod/workers.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { CONTAINERS, IMAGES, inSpan } from '../tracing/tracer.ts';
import { tearDownVolumes } from '../volume/volumes.ts';
import { garbageOf, type Garbage } from './garbage.ts';
import { ImageCollector, type NodeEvent } from './image-collector.ts';
import { longLogs, removeLogs, rotateLog } from './log-rotation.ts';

/** Upstream's periods. */
const CONTAINERS_MS = 60_000;
const IMAGES_MS = 300_000;

interface Deps {
	readonly context: AgentContext;
	readonly workers: PodWorkers;
	/** All pods that are to run here are known: what nobody knows is an orphan. */
	readonly known: () => boolean;
	/** An event about the node. */
	readonly event: NodeEvent;
}

export class Collector {
	readonly #deps: Deps;
	readonly images: ImageCollector;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.images = new ImageCollector(deps.context, deps.event);
	}

	async run(signal: AbortSignal): Promise<void> {
		await Promise.all([
			this.#every(CONTAINERS_MS, 'ContainerGCFailed', () => this.collect(signal), signal),
			this.#every(IMAGES_MS, 'ImageGCFailed', () => this.#collectImages(signal), signal),
			this.#every(settingsIn(this.#deps.context.options).logs.monitorMs, undefined, () => this.rotateLogs(signal), signal),
		]);
	}

	#collectImages(signal: AbortSignal): Promise<void> {
		return inSpan(this.#deps.context.tracer, { scope: IMAGES, name: 'Images/GarbageCollect' }, () => this.images.collect(signal));
	}

	/** Upstream tells of images only what fails twice: the first time the runtime may still be counting. */
	async #every(ms: number, reason: string | undefined, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#deps.context;
		let failures = 0;
		while (!signal.aborted) {
			await clock.sleep(ms, signal).catch(() => {});
			if (signal.aborted) return;
			try {
				await work();
				failures = 0;
			} catch (error) {
				if (signal.aborted) return;
				log.warn('cannot clean up', { what: reason ?? 'logs', reason: messageOf(error) });
				failures++;
				if (reason !== undefined && (failures > 1 || reason !== 'ImageGCFailed')) this.#deps.event('Warning', reason, messageOf(error));
			}
		}
	}

	/**
	 * Containers, sandboxes, pods' folders and logs.
	 * @param ended also all that is left of pods that have ended, as a node that is short of disk does
	 */
	async collect(signal: AbortSignal, ended = false): Promise<void> {
		const span = { scope: CONTAINERS, name: 'Containers/GarbageCollect' };
		await inSpan(this.#deps.context.tracer, span, () => this.#collect(signal, ended));
	}

	async #collect(signal: AbortSignal, ended: boolean): Promise<void> {
		const { context, workers } = this.#deps;
		const { runtime } = context;
		const pods = await runtime.pods(signal);
		const known = this.#deps.known();
		if (known) workers.endOrphans(pods);
		for (const pod of pods)
			await this.#collectPod(pod, ended && workers.phaseOf(pod.uid) === 'finished' ? pod : garbageOf(pod), signal).catch(
				(error: unknown) => {
					signal.throwIfAborted();
					context.log.warn('cannot remove what a pod has left', { pod: `${pod.namespace}/${pod.name}`, reason: messageOf(error) });
				},
			);
		if (!known) return this.#collectHost(pods, false);
		await this.#collectFolders(pods);
		const looked = (uid: string): boolean => workers.phaseOf(uid) !== undefined;
		context.resizes.keep(looked);
		context.placed.placement.keep(looked);
		// A driver may take long to answer.
		await Promise.all([context.dra.claims.keep(looked, signal), this.#collectHost(pods, true)]);
	}

	async #collectPod({ uid }: PodRuntime, { containers, sandboxes }: Garbage, signal: AbortSignal): Promise<void> {
		const { runtime, options } = this.#deps.context;
		for (const { id, name, attempt, logPath } of containers) {
			await runtime.removeContainer(id, signal);
			if (logPath !== '') await removeLogs(logPath);
			await rm(terminationFile(options.rootDir, uid, name, attempt), { force: true });
		}
		for (const { id } of sandboxes) await runtime.removeSandbox(id, signal);
	}

	/** Control groups, and links to logs. */
	async #collectHost(pods: readonly PodRuntime[], known: boolean): Promise<void> {
		const { context, workers } = this.#deps;
		context.groups.rebalance(() => workers.active);
		if (known) await context.groups.collect((uid) => workers.phaseOf(uid) !== undefined || pods.some((p) => p.uid === uid));
		if (context.options.containerLogsDir !== undefined) await removeDeadLinks(context.options.containerLogsDir);
	}

	async #collectFolders(pods: readonly PodRuntime[]): Promise<void> {
		const { context, workers } = this.#deps;
		const { rootDir, podLogsDir } = context.options;
		const unknown = (uid: string): boolean => workers.phaseOf(uid) === undefined && !pods.some((p) => p.uid === uid);
		let [orphans, failed] = [0, 0];
		for (const uid of await readdir(podsFolder(rootDir)).catch(() => [])) {
			if (!unknown(uid)) continue;
			orphans++;
			if (!(await this.#tearDown(uid))) failed++;
		}
		context.figures.volumes.swept(orphans, failed);
		for (const name of await readdir(podLogsDir).catch(() => [])) {
			const uid = podLogFolderUid(name);
			if (uid !== undefined && unknown(uid)) await rm(join(podLogsDir, name), { recursive: true, force: true });
		}
	}

	/** Whether it could. One whose driver is away does not keep the others. */
	async #tearDown(uid: string): Promise<boolean> {
		const { context } = this.#deps;
		try {
			await tearDownVolumes(uid, context);
			return true;
		} catch (error) {
			context.log.warn('cannot take down the volumes of a pod that is gone', { uid, reason: messageOf(error) });
			return false;
		}
	}

	async rotateLogs(signal: AbortSignal): Promise<void> {
		const { runtime, clock, log, options } = this.#deps.context;
		const limits = settingsIn(options).logs;
		const long = await longLogs(options.podLogsDir, limits.maxBytes);
		if (long.size === 0) return;
		const due = (await runtime.pods(signal)).flatMap((pod) =>
			pod.containers.filter((c) => c.state === 'running' && long.has(c.logPath)).map((c) => ({ pod, ...c })),
		);
		const worker = async (): Promise<void> => {
			for (let next = due.pop(); next !== undefined; next = due.pop()) {
				const { pod, id, name, logPath } = next;
				await rotateLog(logPath, limits, clock.now(), () => runtime.reopenLog(id, signal)).catch((error: unknown) =>
					log.warn('cannot rotate a log', { pod: `${pod.namespace}/${pod.name}`, container: name, reason: messageOf(error) }),
				);
			}
		};
		await Promise.all(Array.from({ length: limits.workers }, worker));
	}
}
