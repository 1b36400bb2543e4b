/** Takes away what no pod needs any more: dead containers and sandboxes, folders and logs of pods that are gone, unused images on a full disk. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { fsStats } from '../../host/filesystem.ts';
import { settingsIn } from '../config/settings.ts';
import { removeDeadLinks } from '../container/log-link.ts';
import type { AgentContext } from '../context.ts';
import { podLogFolderUid, terminationFile } from '../pod/folders.ts';
import type { PodWorkers } from '../pod/workers.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { tearDownVolumes } from '../volume/volumes.ts';
import { garbageOf } from './garbage.ts';
import { bytesToFree, imagesToRemove, type ImageDisk, type ImageUse } from './images.ts';
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
	readonly event: (type: 'Warning', reason: string, message: string) => void;
}

export class Collector {
	readonly #deps: Deps;
	readonly #uses = new Map<string, ImageUse>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	async run(signal: AbortSignal): Promise<void> {
		await Promise.all([
			this.#every(CONTAINERS_MS, 'ContainerGCFailed', () => this.collect(signal), signal),
			this.#every(IMAGES_MS, 'ImageGCFailed', () => this.collectImages(signal), signal),
			this.#every(settingsIn(this.#deps.context.options).logs.monitorMs, undefined, () => this.rotateLogs(signal), signal),
		]);
	}

	async #every(ms: number, reason: string | undefined, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#deps.context;
		while (!signal.aborted) {
			await clock.sleep(ms, signal).catch(() => {});
			if (signal.aborted) return;
			try {
				await work();
			} catch (error) {
				if (signal.aborted) return;
				log.warn('cannot clean up', { what: reason ?? 'logs', reason: messageOf(error) });
				if (reason !== undefined) this.#deps.event('Warning', reason, messageOf(error));
			}
		}
	}

	/** Containers, sandboxes, pods' folders and logs. */
	async collect(signal: AbortSignal): Promise<void> {
		const { context, workers } = this.#deps;
		const { runtime } = context;
		const pods = await runtime.pods(signal);
		const known = this.#deps.known();
		if (known) workers.endOrphans(pods);
		for (const pod of pods) {
			const { containers, sandboxes } = garbageOf(pod);
			for (const container of containers) {
				await runtime.removeContainer(container.id, signal);
				if (container.logPath !== '') await removeLogs(container.logPath);
				await rm(terminationFile(context.options.rootDir, pod.uid, container.name, container.attempt), { force: true });
			}
			for (const sandbox of sandboxes) await runtime.removeSandbox(sandbox.id, signal);
		}
		if (known) await this.#collectFolders(pods);
		if (context.options.containerLogsDir !== undefined) await removeDeadLinks(context.options.containerLogsDir);
	}

	async #collectFolders(pods: readonly PodRuntime[]): Promise<void> {
		const { context, workers } = this.#deps;
		const { rootDir, podLogsDir } = context.options;
		const unknown = (uid: string): boolean => workers.phaseOf(uid) === undefined && !pods.some((p) => p.uid === uid);
		for (const uid of await readdir(join(rootDir, 'pods')).catch(() => [])) if (unknown(uid)) await tearDownVolumes(uid, context);
		for (const name of await readdir(podLogsDir).catch(() => [])) {
			const uid = podLogFolderUid(name);
			if (uid !== undefined && unknown(uid)) await rm(join(podLogsDir, name), { recursive: true, force: true });
		}
	}

	/** @param disk of the images; measured when absent */
	async collectImages(signal: AbortSignal, disk?: ImageDisk): Promise<void> {
		const { context } = this.#deps;
		const { runtime, clock, log, options } = context;
		const limits = settingsIn(options).images;
		const [images, pods, folder] = await Promise.all([runtime.images(signal), runtime.pods(signal), runtime.imageFolder(signal)]);
		const used = new Set(pods.flatMap((p) => p.containers.map((c) => c.imageId)));
		const now = clock.now();
		for (const { id } of images) {
			const before = this.#uses.get(id);
			this.#uses.set(id, { firstSeen: before?.firstSeen ?? now, lastUsed: used.has(id) ? now : before?.lastUsed });
		}
		for (const id of this.#uses.keys()) if (!images.some((i) => i.id === id)) this.#uses.delete(id);
		const measured = disk ?? (folder === undefined ? undefined : await fsStats(folder).catch(() => undefined));
		const free = measured === undefined ? 0 : bytesToFree(measured, limits.highPercent, limits.lowPercent);
		if (free === 0) return;
		const removed = imagesToRemove(images, used, this.#uses, free, now, limits.minAgeMs);
		for (const image of removed) {
			await runtime.removeImage(image.id, signal);
			log.info('removed an unused image', { image: image.tags[0] ?? image.id, sizeBytes: image.sizeBytes });
		}
		const freed = removed.reduce((sum, i) => sum + i.sizeBytes, 0);
		// A disk that others fill is the user's business: said in the log, and no event every five minutes.
		if (freed < free) log.debug('the disk of the images is full, and no image may go', { wantedBytes: free, freedBytes: freed });
	}

	async rotateLogs(signal: AbortSignal): Promise<void> {
		const { runtime, clock, log, options } = this.#deps.context;
		const limits = settingsIn(options).logs;
		const long = await longLogs(options.podLogsDir, limits.maxBytes);
		if (long.size === 0) return;
		for (const pod of await runtime.pods(signal))
			for (const { id, name, state, logPath } of pod.containers) {
				if (state !== 'running' || !long.has(logPath)) continue;
				await rotateLog(logPath, limits, clock.now(), () => runtime.reopenLog(id, signal)).catch((error: unknown) =>
					log.warn('cannot rotate a log', { pod: `${pod.namespace}/${pod.name}`, container: name, reason: messageOf(error) }),
				);
			}
	}
}
