/** The profiles of a scheduler, made: by schedulerName, what decides about its pods. */
import type { ProfileSettings } from './configuration/profile.ts';
import type { Point } from './configuration/plugin-sets.ts';
import type { SchedulerDevices } from './devices/devices.ts';
import type { FilterPlugin, Reservation } from './framework.ts';
import type { NodeInfo } from './node-info.ts';
import type { PluginArgs } from './plugin-args.ts';
import type { PodInfo } from './pod-info.ts';
import { makePlugins, type PluginDeps } from './plugins.ts';
import type { Plugins } from './schedule.ts';
import { VOLUME_BINDING } from './storage/reservation.ts';
import type { SchedulerStorage } from './storage/storage.ts';

export interface Profile extends Plugins {
	readonly schedulerName: string;
	/** Pods with scheduling gates wait. */
	readonly gates: boolean;
	/** What is tried for a pod that fits nowhere, in order. */
	readonly postFilters: readonly string[];
	readonly preemption: PluginArgs['DefaultPreemption'];
	/** What the pod needs of the node it was given before it can be bound there, if anything; held from now on. */
	readonly reserve: (pod: PodInfo, node: NodeInfo) => readonly Reservation[];
}

export interface ProfileDeps extends Pick<PluginDeps, 'siblingsOf'> {
	readonly storage: Pick<SchedulerStorage, 'view' | 'reserve'>;
	readonly devices: Pick<SchedulerDevices, 'view' | 'reserve'>;
}

export function makeProfile({ schedulerName, percentageOfNodesToScore, plugins, args }: ProfileSettings, deps: ProfileDeps): Profile {
	const { storage, devices, siblingsOf } = deps;
	const namesAt = (point: Point): readonly string[] => plugins[point].map(({ name }) => name);
	const filters = namesAt('filter');
	const alsoPrepared = namesAt('preFilter').filter((name) => !filters.includes(name));
	const made = makePlugins({ filters: [...filters, ...alsoPrepared], scores: plugins.score }, args, {
		...{ storage: storage.view, devices: devices.view, siblingsOf },
	});
	const reserves = namesAt('reserve');
	return {
		schedulerName,
		percentageOfNodesToScore,
		filters: made.filters.map((plugin) => (alsoPrepared.includes(plugin.name) ? preparedOnly(plugin) : plugin)),
		scores: made.scores,
		gates: namesAt('preEnqueue').includes('SchedulingGates'),
		postFilters: namesAt('postFilter'),
		preemption: args.DefaultPreemption,
		reserve: (pod, node) =>
			reserves.flatMap((name) => {
				if (name === VOLUME_BINDING) return storage.reserve(pod, node, args.VolumeBinding) ?? [];
				return devices.reserve(pod, node, args.DynamicResources) ?? [];
			}),
	};
}

/** A plugin that is enabled for preFilter and not for filter: it may refuse a pod, and no node. */
function preparedOnly(plugin: FilterPlugin): FilterPlugin {
	return {
		...plugin,
		prepare(pod, snapshot) {
			const prepared = plugin.prepare(pod, snapshot);
			return typeof prepared === 'function' ? 'skip' : prepared;
		},
	};
}
