/**
 * Limits of input and output (the mutable parameters `readBytesPerSecond` and its like) on the groups of the pods that use a volume. They are put there when the
 * volume is staged and when it is modified, and again every second until each of its pods has a group: who runs in a pod, and where, is not told to a
 * driver. On version 2 a pod's group is one for all its containers. On version 1 each container's is limited for itself, so the kernel tells of those that
 * come later. Looks begin again with the next pod that publishes.
 *
 * A limit on what the kernel itself writes behind stands as long as the volume is staged, no longer: the rule outlives the device's file, and the next
 * volume may get the device. So it is lifted before a device is given back, and made to what the volume says whenever one was attached.
 */
import { basename } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { Condition } from '../../base/condition.ts';
import { messageOf } from '../../base/errors.ts';
import { InTurn } from '../../base/in-turn.ts';
import type { Log } from '../../base/log.ts';
import { NO_LIMITS, type IoGroups } from '../../host/io-groups.ts';
import { backingFileOf, loopDevices, type LoopDevice } from '../../host/loop.ts';
import { imageIn } from '../backends/loop.ts';
import type { Role } from '../options.ts';
import { readMutable } from '../parameters.ts';
import type { NodeRecords } from '../records/node-records.ts';
import type { VolumeRecord } from '../records/records.ts';
import { foldersOf, type VolumeFolders } from '../records/volume-folders.ts';
import { GroupWatches } from './group-watches.ts';
import { hasLimits } from './limits.ts';
import { podUidOf } from './pod-uid.ts';

/**
 * Containers that start run so long without a limit, at most. Of groups the kernel tells only where their parents are known: those of pods lie wherever the
 * runtime puts them, so they are looked for. What stands is not written again.
 */
const LOOK_MS = 1000;
/** So many looks a pod's group may be missing: containers come later than volumes. */
const LOOKS_UNTIL_TOLD = 30;
const NO_GROUP = 'no control group limits the input and output of pods';
/** So often a node service without a controller looks at all volumes: the one in another process may have limited one. */
const LOOK_AT_ALL_MS = 30_000;

interface Deps extends VolumeFolders {
	readonly groups: IoGroups | string;
	readonly nodes: NodeRecords;
	readonly clock: Clock;
	readonly log: Log;
	readonly role: Role;
	/** The kernel's unless told. */
	readonly loops?: Loops;
}

export interface Loops {
	all(): Promise<readonly LoopDevice[]>;
	/** Of "loop0". */
	fileOf(name: string): string | undefined;
}
const KERNEL_LOOPS: Loops = { all: () => loopDevices(), fileOf: (name) => backingFileOf(name) };

type Devices = () => Promise<readonly LoopDevice[]>;

export class VolumeLimits {
	readonly #deps: Deps;
	readonly #loops: Loops;
	/** The volumes that are limited here. */
	readonly #limited = new Set<string>();
	/** Those of them that a look is for. */
	readonly #awaited = new Set<string>();
	readonly #someAwaited = new Condition();
	readonly #someStaged = new Condition();
	/** On version 1: what begins the looks again. */
	readonly #watches = new GroupWatches();
	/** A look that has begun does not put back what is lifted meanwhile. */
	readonly #inTurn = new InTurn();
	/** Lifted, and not staged since: those whose record stands yet, and of the others what no lift has swept so far. */
	readonly #lifted = new Set<string>();
	/** What was told of the volumes that could not be limited, until they could. */
	readonly #told = new Map<string, string>();
	/** How many looks in a row found pods of the volume without a group that limits. */
	readonly #unkept = new Map<string, number>();

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#loops = deps.loops ?? KERNEL_LOOPS;
	}

	/** Why nothing can be limited here; undefined where it can. */
	get missing(): string | undefined {
		const { groups } = this.#deps;
		return typeof groups === 'string' ? groups : undefined;
	}

	/** Why the volume's limits do not hold, for its condition; undefined where they do, and for what other processes limit. */
	notKept(id: string): string | undefined {
		return this.#told.get(id) ?? ((this.#unkept.get(id) ?? 0) < LOOKS_UNTIL_TOLD ? undefined : NO_GROUP);
	}

	/**
	 * Makes what limits the volume's users what its record says: once a device of it was attached, or the volume modified. Only who modifies is told of a
	 * failure: what was attached is used, and looks go on trying.
	 */
	async apply(volume: VolumeRecord, { modified = false } = {}): Promise<void> {
		const { id, backend } = volume;
		if (backend !== 'loop') return;
		this.#someStaged.changed();
		await this.#inTurn.run(id, async () => {
			if (modified) {
				this.#limited.add(id); // whatever it had before
				await this.#apply(volume);
				this.#told.delete(id);
			} else {
				this.#lifted.delete(id);
				await this.#attempt(id, () => this.#apply(volume));
			}
		});
	}

	/** Once another pod has the volume: its group may not be there yet. */
	async published(id: string): Promise<void> {
		await this.#inTurn.run(id, async () => {
			if (this.#limited.has(id)) this.#look(id);
		});
	}

	/** Before the volume's devices are given back. */
	async lift(id: string): Promise<void> {
		await this.#inTurn.run(id, async () => {
			this.#forget(id);
			this.#told.delete(id);
			for (const other of this.#lifted) if (this.#deps.nodes.usersOf(other).length === 0) this.#lifted.delete(other);
			if (!this.#limitsKernel()) return;
			this.#lifted.add(id);
			await this.#liftFrom(id);
		});
	}

	/** Gives back the devices that only readers had, without their rules; no look comes in between. */
	async releaseReaders(id: string, detach: () => Promise<void>): Promise<void> {
		await this.#inTurn.run(id, async () => {
			if (this.#limitsKernel()) await this.#liftFrom(id, ({ readOnly }) => readOnly);
			await detach();
		});
	}

	#limitsKernel(): boolean {
		const { groups } = this.#deps;
		return typeof groups !== 'string' && groups.limitsKernel();
	}

	/** A rule that stays is no reason to keep the device: whoever attaches it next makes the rule its own. */
	async #liftFrom(id: string, which: (device: LoopDevice) => boolean = () => true): Promise<void> {
		const { groups, log } = this.#deps;
		if (typeof groups === 'string') return;
		try {
			for (const { device } of (await this.#devices(id)).filter(which))
				for (const group of groups.ofKernel()) await groups.limit(group, device, NO_LIMITS);
		} catch (error) {
			log.warn('cannot lift the limits of what is given back', { volume: id, error: messageOf(error) });
		}
	}

	/** Until the signal. Nothing wakes while nothing waits to be limited; where others write the records, while nothing is staged. */
	async run(nodeId: string, signal: AbortSignal): Promise<void> {
		if (this.missing !== undefined) return;
		try {
			await this.look(this.#staged(nodeId));
			await Promise.all([this.#lookAtAwaited(signal), ...(this.#deps.role === 'node' ? [this.#lookAtAll(nodeId, signal)] : [])]);
		} catch (error) {
			if (!signal.aborted) throw error;
		} finally {
			this.#watches.close();
		}
	}

	async #lookAtAwaited(signal: AbortSignal): Promise<never> {
		for (;;) {
			await this.#someAwaited.until(() => this.#awaited.size > 0, signal);
			await this.#deps.clock.sleep(LOOK_MS, signal);
			await this.look([...this.#awaited]);
		}
	}

	async #lookAtAll(nodeId: string, signal: AbortSignal): Promise<never> {
		for (;;) {
			await this.#someStaged.until(() => this.#staged(nodeId).length > 0, signal);
			await this.#deps.clock.sleep(LOOK_AT_ALL_MS, signal);
			await this.look(this.#staged(nodeId));
		}
	}

	/** Once, at these volumes. */
	async look(ids: readonly string[]): Promise<void> {
		let read: ReturnType<Devices> | undefined;
		const devices: Devices = () => (read ??= this.#loops.all()); // once for all, and not at all where nobody needs them
		for (const id of ids)
			await this.#inTurn.run(id, () =>
				this.#attempt(id, async () => {
					const volume = await this.#volumeOf(id);
					if (volume === undefined) this.#forget(id);
					else await this.#apply(volume, devices);
				}),
			);
	}

	/** A failure is told when it is another than before, and the next look tries again. */
	async #attempt(id: string, work: () => Promise<void>): Promise<void> {
		try {
			await work();
			this.#told.delete(id);
		} catch (error) {
			const reason = messageOf(error);
			if (this.#told.get(id) !== reason) this.#deps.log.warn('cannot limit input and output', { volume: id, error: reason });
			this.#told.set(id, reason);
			this.#look(id);
		}
	}

	#look(id: string): void {
		this.#limited.add(id);
		this.#awaited.add(id);
		this.#someAwaited.changed();
	}

	#forget(id: string): void {
		this.#limited.delete(id);
		this.#awaited.delete(id);
		this.#unkept.delete(id);
		this.#watches.drop(id);
	}

	/** What has a device to limit; undefined where there is nothing. */
	async #volumeOf(id: string): Promise<VolumeRecord | undefined> {
		const volume = await foldersOf(this.#deps, id).read(id);
		return volume?.backend === 'loop' && !this.#lifted.has(id) ? volume : undefined;
	}

	async #apply({ id, access, mutableParameters }: VolumeRecord, all: Devices = () => this.#loops.all()): Promise<void> {
		const { groups, nodes, role } = this.#deps;
		const { limits } = readMutable(mutableParameters);
		if (typeof groups === 'string') return;
		if (!hasLimits(limits) && !this.#limited.has(id) && !groups.limitsKernel()) return; // nothing to lift
		const users = nodes.usersOf(id);
		if (users.length > 0 && hasLimits(limits) && role !== 'controller') this.#look(id);
		else this.#forget(id);
		const devices = users.length === 0 ? [] : (await this.#devices(id, all)).filter((d) => access === 'mount' || !d.autoclear); // given back, while somebody has it open
		if (devices.length === 0) return;
		const uids = new Set(users.flatMap(({ volume }) => volume.targets.flatMap(({ path }) => podUidOf(path) ?? [])));
		const ofPods = new Map(await Promise.all([...uids].map(async (uid) => [uid, await groups.ofPod(uid)] as const)));
		const unkept = [...uids].filter((uid) => !ofPods.get(uid)?.some((group) => groups.canLimit(group)));
		if (this.#limited.has(id)) this.#tellUnkept(id, unkept);
		const inGroups = [...groups.ofKernel(), ...[...ofPods.values()].flat()];
		// Still in use, and not another's since.
		for (const group of inGroups)
			for (const { device, path, backingFile } of devices)
				if (nodes.usersOf(id).length > 0 && this.#loops.fileOf(basename(path)) === backingFile) await groups.limit(group, device, limits);
		if (unkept.length > 0) return;
		if (groups.version === 2 || this.#watches.keep(id, [...ofPods.values()].flat(), groups, () => this.#look(id))) this.#awaited.delete(id);
	}

	/** Once, and again only after it was kept. */
	#tellUnkept(id: string, pods: readonly string[]): void {
		if (pods.length === 0) return void this.#unkept.delete(id);
		const looks = (this.#unkept.get(id) ?? 0) + 1;
		this.#unkept.set(id, looks);
		if (looks === LOOKS_UNTIL_TOLD) this.#deps.log.warn(NO_GROUP, { volume: id, pods });
	}

	async #devices(id: string, all: Devices = () => this.#loops.all()): Promise<readonly LoopDevice[]> {
		const image = imageIn(foldersOf(this.#deps, id).dir(id));
		return (await all()).filter(({ backingFile }) => backingFile === image);
	}

	/** None where that cannot be told: whoever stages then fails, and says so. */
	#staged(nodeId: string): readonly string[] {
		try {
			return this.#deps.nodes.list(nodeId).map(({ id }) => id);
		} catch (error) {
			this.#deps.log.warn('cannot tell whose input and output is to be limited', { error: messageOf(error) });
			return [];
		}
	}
}
