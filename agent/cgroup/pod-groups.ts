/** The control groups of pods: made before a sandbox, limited to what the pod may use, removed after it. */
import type { Pod } from '../../api/gen/types.ts';
import { qosClass, type QosClass } from '../../api/pod/qos.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { CgroupTree } from '../../host/cgroup-tree.ts';
import { type CgroupPaths, readUsage } from '../../host/cgroups.ts';
import { setSlice, startSlice, stopSlice } from '../../host/systemd-slices.ts';
import type { CgroupDriver } from '../config/resource-settings.ts';
import type { Observation } from '../eviction/observation.ts';
import { filesOf, unitProperties } from './files.ts';
import { classLimits, podGroupLimits, widest, type GroupLimits, type LimitRules } from './limits.ts';
import { classGroup, kubepods, pathOf, podGroup, podUidOf, rootName, runtimeIdOf, sliceOf, type GroupName } from './names.ts';

export interface PodGroupsOptions {
	readonly tree: CgroupTree;
	readonly driver: CgroupDriver;
	/** The group that holds kubepods. */
	readonly root: string;
	readonly rules: LimitRules;
	readonly log: Log;
}

/** A group that there is. */
export interface FoundGroup {
	/** As the runtime would be told of it. */
	readonly path: string;
	readonly paths: CgroupPaths;
	/** Of a pod's group, and of those in it. */
	readonly podUid?: string;
	/** The id of the container or sandbox that it is of. */
	readonly runtimeId?: string;
}

const CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];

export class PodGroups {
	readonly #given: PodGroupsOptions;
	readonly #root: GroupName;
	readonly #on: boolean;
	#burstableShares: number | undefined;
	#due = false;

	private constructor(given: PodGroupsOptions, on: boolean) {
		this.#given = given;
		this.#root = rootName(given.root);
		this.#on = on;
	}

	/** Where the host does not let groups be made, pods are all in the one group that the runtime is told, and it is said so. */
	static async open(given: PodGroupsOptions): Promise<PodGroups> {
		const groups = PodGroups.over(given);
		try {
			for (const qos of CLASSES) await groups.#make(classGroup(groups.#root, qos), qos === 'Guaranteed' ? {} : classLimits(qos, []));
			return groups;
		} catch (error) {
			given.log.warn('pods get no control groups of their own: they cannot be made here', { reason: messageOf(error) });
			return PodGroups.off(given);
		}
	}

	/** Those that somebody has made. */
	static over(given: PodGroupsOptions): PodGroups {
		return new PodGroups(given, true);
	}

	/** As cgroupsPerQOS false. */
	static off(given: PodGroupsOptions): PodGroups {
		return new PodGroups(given, false);
	}

	get enabled(): boolean {
		return this.#on;
	}

	/** What the runtime is told to put the pod under. */
	parentOf(pod: Pod): string {
		return this.#on ? this.#path(this.#groupOf(pod)) : this.#given.root;
	}

	/** The folder of the group of all pods. */
	get podsPath(): string {
		return this.#path(kubepods(this.#root));
	}

	/** Before its sandbox; a group that is there gets its limits anew. */
	async ensure(pod: Pod): Promise<void> {
		if (this.#on) await this.#make(this.#groupOf(pod), podGroupLimits(pod, this.#given.rules));
	}

	/** After a change of what the pod may use; with `before`, as much as both before and after. */
	async update(pod: Pod, before: Pod = pod): Promise<void> {
		const { rules } = this.#given;
		if (this.#on) await this.#set(this.#groupOf(pod), widest(podGroupLimits(pod, rules), podGroupLimits(before, rules)));
	}

	/** Bytes that the pod may use; -1 for no limit. */
	memoryLimit(pod: Pod): number {
		return podGroupLimits(pod, this.#given.rules).memoryBytes ?? -1;
	}

	/** Once nothing of it runs. */
	async remove(pod: Pod): Promise<void> {
		if (this.#on) await this.#remove(this.#groupOf(pod));
	}

	/** Burstable pods together weigh what they ask for; told again only when that has changed. */
	async balance(pods: readonly Pod[]): Promise<void> {
		const limits = classLimits('Burstable', pods);
		if (!this.#on || limits.shares === this.#burstableShares) return;
		await this.#set(classGroup(this.#root, 'Burstable'), limits);
		this.#burstableShares = limits.shares;
	}

	/** The same soon, once for all that changes at the same time. */
	rebalance(pods: () => readonly Pod[]): void {
		if (!this.#on || this.#due) return;
		this.#due = true;
		setImmediate(() => {
			this.#due = false;
			this.balance(pods()).catch((error: unknown) => this.#given.log.warn('cannot weigh the burstable pods', { reason: messageOf(error) }));
		});
	}

	/** Removes the groups of pods that nobody knows. */
	async collect(known: (uid: string) => boolean): Promise<void> {
		if (!this.#on) return;
		const { driver, tree } = this.#given;
		for (const qos of CLASSES) {
			const parent = classGroup(this.#root, qos);
			for (const folder of await tree.children(this.#path(parent))) {
				const uid = podUidOf(folder, driver);
				if (uid !== undefined && !known(uid)) await this.#remove(podGroup(this.#root, qos, uid));
			}
		}
	}

	/** The machine's own group. */
	get rootPaths(): CgroupPaths {
		return this.#given.tree.pathsOf('/');
	}

	/** That of all pods, of the classes, of each pod, and the runtime's in them. */
	async found(): Promise<readonly FoundGroup[]> {
		if (!this.#on) return [];
		const { driver, tree } = this.#given;
		const groups: FoundGroup[] = [];
		const at = (path: string, more: Pick<FoundGroup, 'podUid' | 'runtimeId'> = {}): void => {
			groups.push({ path, paths: tree.pathsOf(path), ...more });
		};
		for (const qos of CLASSES) {
			const parent = this.#path(classGroup(this.#root, qos));
			at(parent);
			for (const folder of await tree.names(parent)) {
				const podUid = podUidOf(folder, driver);
				if (podUid === undefined) continue;
				const pod = `${parent}/${folder}`;
				at(pod, { podUid });
				for (const name of await tree.names(pod)) {
					const runtimeId = runtimeIdOf(name);
					if (runtimeId !== undefined) at(`${pod}/${name}`, { podUid, runtimeId });
				}
			}
		}
		return groups;
	}

	/** Limits all pods together, or a group of the system's own that must be there. */
	async limit(path: string | undefined, limits: GroupLimits): Promise<void> {
		if (path === undefined) return this.#set(kubepods(this.#root), limits);
		await this.#given.tree.set(path, filesOf(limits, this.#given.tree.version));
	}

	/** What pods together have left of the memory they may have; undefined where that is not limited. */
	allocatableMemory(): Observation | undefined {
		if (!this.#on) return undefined;
		const { memoryLimitBytes, workingSetBytes } = readUsage(this.#given.tree.pathsOf(this.podsPath));
		if (memoryLimitBytes === undefined) return undefined;
		return { available: Math.max(0, Number(memoryLimitBytes - workingSetBytes)), capacity: Number(memoryLimitBytes) };
	}

	#groupOf(pod: Pod): GroupName {
		// The class is that of the pod's creation: a group does not move.
		const qos = (pod.status?.qosClass as QosClass | undefined) ?? qosClass(pod);
		return podGroup(this.#root, qos, pod.metadata.uid ?? '');
	}

	#path(name: GroupName): string {
		return pathOf(name, this.#given.driver);
	}

	async #make(name: GroupName, limits: GroupLimits): Promise<void> {
		const { tree, driver } = this.#given;
		if (driver === 'systemd') await startSlice(sliceOf(name), unitProperties(limits, tree.version));
		await tree.make(this.#path(name));
		await tree.set(this.#path(name), filesOf(limits, tree.version));
	}

	async #set(name: GroupName, limits: GroupLimits): Promise<void> {
		const { tree, driver } = this.#given;
		if (driver === 'systemd') await setSlice(sliceOf(name), unitProperties(limits, tree.version));
		await tree.set(this.#path(name), filesOf(limits, tree.version));
	}

	async #remove(name: GroupName): Promise<void> {
		const { tree, driver, log } = this.#given;
		if (driver === 'systemd')
			await stopSlice(sliceOf(name)).catch((error: unknown) => log.warn('cannot stop a slice', { reason: messageOf(error) }));
		const busy = await tree.remove(this.#path(name));
		if (busy.length > 0) log.debug('a control group still holds processes; it is removed later', { group: this.#path(name) });
	}
}
