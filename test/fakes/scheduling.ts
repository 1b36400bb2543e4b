/** Pods and nodes for the scheduler's tests. */
import type { Node, Pod, PodSpec } from '../../api/gen/types.ts';
import type { DevicesView } from '../../controlplane/scheduler/devices/view.ts';
import { DEFAULT_ARGS, type PluginArgs } from '../../controlplane/scheduler/plugin-args.ts';
import { pluginsByPoint } from '../../controlplane/scheduler/configuration/plugin-sets.ts';
import { makePlugins } from '../../controlplane/scheduler/plugins.ts';
import type { Plugins } from '../../controlplane/scheduler/schedule.ts';
import type { SiblingsOf } from '../../controlplane/scheduler/workloads.ts';
import type { StorageView } from '../../controlplane/scheduler/storage/view.ts';

export function pod(name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Pod {
	return {
		metadata: { name, namespace: 'default', uid: `uid-${name}`, labels },
		spec: { containers: [{ name: 'c', image: 'img' }], ...spec },
	};
}

export function node(
	name: string,
	extra: {
		labels?: Record<string, string>;
		spec?: Node['spec'];
		cpu?: string;
		pods?: string;
		images?: NonNullable<Node['status']>['images'];
	} = {},
): Node {
	return {
		metadata: { name, labels: { 'kubernetes.io/hostname': name, ...extra.labels } },
		spec: extra.spec ?? {},
		status: { allocatable: { cpu: extra.cpu ?? '4', memory: '8Gi', pods: extra.pods ?? '110' }, images: extra.images ?? [] },
	};
}

export const cpu = (amount: string): Partial<PodSpec> => ({
	containers: [{ name: 'c', image: 'img', resources: { requests: { cpu: amount } } }],
});

/** A cluster that has no devices to claim. */
export const noDevices: DevicesView = {
	synced: () => true,
	claim: () => undefined,
	claimsOf: () => [],
	allocations: () => [],
	deviceClass: () => undefined,
	classFor: () => undefined,
	slices: () => ({ onNode: new Map(), shared: [], ofPool: new Map() }),
	matches: () => undefined,
	now: () => 0,
	after: () => () => false,
	found: new WeakMap(),
};

/** A cluster that has no storage at all. */
export const noStorage: StorageView = {
	claim: () => undefined,
	volume: () => undefined,
	candidates: () => [],
	storageClass: () => undefined,
	driver: () => undefined,
	csiNode: () => undefined,
	capacities: () => [],
	attachments: () => [],
};

/** What runs where nothing is configured but arguments. */
export function defaultPlugins(
	storage: StorageView = noStorage,
	devices: DevicesView = noDevices,
	siblingsOf: SiblingsOf = () => undefined,
	args: Partial<PluginArgs> = {},
): Plugins {
	const { filter, score } = pluginsByPoint({});
	return makePlugins(
		{ filters: filter.map(({ name }) => name), scores: score },
		{ ...DEFAULT_ARGS, ...args },
		{ storage, devices, siblingsOf },
	);
}
