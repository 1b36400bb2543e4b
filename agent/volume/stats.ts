/** What the volumes of pods hold: read when somebody asks, not more often than upstream reads it; of drivers' volumes by itself, too, for their health. */
import type { Pod, Volume } from '../../api/gen/types.ts';
import { abortable } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import { diskUsage } from '../../host/disk-usage.ts';
import { fsStats } from '../../host/filesystem.ts';
import { settingsIn } from '../config/settings.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { driverFigures, type DriverFigures } from '../csi/stats.ts';
import { volumeFolder } from '../pod/folders.ts';

export interface VolumeFigures extends DriverFigures {
	readonly name: string;
	readonly at: number;
	/** The claim behind it. */
	readonly claim: string | undefined;
}

/** Volumes of the agent's own files, and upstream's names of their folders. */
const FOLDERS: readonly (readonly [keyof Volume, string])[] = [
	['emptyDir', 'empty-dir'],
	['configMap', 'configmap'],
	['secret', 'secret'],
	['projected', 'projected'],
	['downwardAPI', 'downward-api'],
];

/** Of what is told where drivers are not asked by themselves. */
const AGE_MS = 60_000;
/** Younger figures serve whoever asks, however often drivers are asked. */
const LEAST_AGE_MS = 1000;

interface Measured {
	readonly at: number;
	/** The walk has not ended. */
	underWay: boolean;
	readonly figures: Promise<readonly VolumeFigures[]>;
}

export class VolumeStats {
	readonly #context: AgentContext;
	readonly #pods: () => readonly Pod[];
	/** Not positive: only when somebody asks. */
	readonly #periodMs: number;
	/** So old may be what is told. */
	readonly #ageMs: number;
	readonly #stop: AbortSignal;
	readonly #measured = new Map<string, Measured>();

	/** @param stop ends every walk: who asked first may go before the others that wait for it */
	constructor(context: AgentContext, pods: () => readonly Pod[], stop: AbortSignal) {
		this.#context = context;
		this.#pods = pods;
		this.#stop = stop;
		this.#periodMs = settingsIn(context.options).node.volumeStatsMs;
		this.#ageMs = this.#periodMs > 0 ? Math.max(LEAST_AGE_MS, this.#periodMs) : AGE_MS;
	}

	/** By pod uid. */
	async all(signal: AbortSignal): Promise<ReadonlyMap<string, readonly VolumeFigures[]>> {
		const pods = this.#pods();
		const known = new Set(pods.map((p) => p.metadata.uid ?? ''));
		for (const uid of this.#measured.keys()) if (!known.has(uid)) this.#measured.delete(uid);
		const all = Promise.all(pods.map(async (pod) => [pod.metadata.uid ?? '', await this.#of(pod, this.#ageMs)] as const));
		return new Map(await abortable(all, signal));
	}

	/** Looks after the health of drivers' volumes. */
	async run(): Promise<void> {
		const { clock, csi } = this.#context;
		while (this.#periodMs > 0 && !this.#stop.aborted) {
			await clock.sleep(this.#periodMs, this.#stop).catch(() => {});
			if (this.#stop.aborted) return;
			const driven = this.#pods().filter(({ metadata, spec }) =>
				spec?.volumes?.some((v) => csi.placeOf(metadata.uid ?? '', v.name)?.source !== undefined),
			);
			for (const pod of driven) await this.#of(pod, 0).catch(() => {});
		}
	}

	/** What is younger than that, or the outcome of the walk under way, or of a new one. */
	#of(pod: Pod, ageMs: number): Promise<readonly VolumeFigures[]> {
		const uid = pod.metadata.uid ?? '';
		const now = this.#context.clock.now();
		const held = this.#measured.get(uid);
		if (held !== undefined && (held.underWay || now - held.at < ageMs)) return held.figures;
		const measured: Measured = { at: now, underWay: true, figures: this.#measure(pod, this.#stop) };
		this.#measured.set(uid, measured);
		measured.figures.then(
			() => (measured.underWay = false),
			() => this.#measured.delete(uid),
		);
		return measured.figures;
	}

	async #measure(pod: Pod, signal: AbortSignal): Promise<readonly VolumeFigures[]> {
		const uid = pod.metadata.uid ?? '';
		const { csi, clock, log } = this.#context;
		const found: VolumeFigures[] = [];
		for (const volume of pod.spec?.volumes ?? []) {
			const figures = await this.#one(uid, volume, signal).catch((error: unknown) => {
				if (signal.aborted) throw error;
				log.debug('volume not measured', { pod: pod.metadata.name ?? '', volume: volume.name, reason: messageOf(error) });
				return undefined;
			});
			if (figures === undefined) continue;
			found.push({ name: volume.name, at: clock.now(), claim: csi.placeOf(uid, volume.name)?.claim, ...figures });
			this.#tellHealth(pod, volume.name, figures);
		}
		return found;
	}

	async #one(uid: string, volume: Volume, signal: AbortSignal): Promise<DriverFigures | undefined> {
		const { csi, options, figures, clock } = this.#context;
		const timed = <T>(how: string, work: Promise<T>): Promise<T> => figures.volumes.measured(how, clock, work);
		const place = csi.placeOf(uid, volume.name);
		if (place?.source !== undefined) return timed(place.source.driver, driverFigures(place, uid, this.#context, signal));
		if (place !== undefined) return timed('statfs', fsStats(place.path));
		const plugin = FOLDERS.find(([kind]) => volume[kind] !== undefined)?.[1];
		if (plugin === undefined) return undefined;
		const folder = volumeFolder(options.rootDir, uid, plugin, volume.name);
		if (volume.emptyDir?.medium === 'Memory') return timed('statfs', fsStats(folder));
		const walk = async (): Promise<DriverFigures> => {
			const disk = await fsStats(folder);
			const { bytes, inodes } = await diskUsage(folder, signal);
			return { ...disk, usedBytes: bytes, inodesUsed: inodes };
		};
		return timed('du', walk());
	}

	#tellHealth(pod: Pod, name: string, { abnormal, message = '' }: DriverFigures): void {
		if (abnormal === true) podEvent(this.#context, pod, 'Warning', 'VolumeConditionAbnormal', `Volume ${name}: ${message}`);
	}
}
