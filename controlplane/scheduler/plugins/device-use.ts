/** How many devices stand for an extended resource on a node, and how many of them claims have: what scores look at where the node has none of it itself. */
import type { DeviceClass } from '../../../api/gen/types.ts';
import { mayBeDevices } from '../devices/extended.ts';
import { givenOf } from '../devices/needs.ts';
import { idOf, reaches } from '../devices/pools.ts';
import type { DevicesView } from '../devices/view.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import type { ResourceWeight } from '../plugin-args.ts';

export interface DeviceCount {
	readonly allocatable: number;
	readonly before: number;
}

export type CountDevices = (resource: string, node: NodeInfo) => DeviceCount | undefined;

type Matches = NonNullable<ReturnType<DevicesView['matches']>>;

/** Undefined where the pod asks for no such resource. Whose devices cannot be told counts for nothing. */
export function devicesCounter(view: DevicesView, resources: readonly ResourceWeight[], { requests }: PodInfo): CountDevices | undefined {
	const classes = new Map<string, DeviceClass>();
	for (const { name } of resources) {
		const found = mayBeDevices(name) && (requests.get(name) ?? 0) > 0 ? view.classFor(name) : undefined;
		if (found !== undefined) classes.set(name, found);
	}
	if (classes.size === 0) return undefined;
	const { whole, shared } = givenOf(view.allocations());
	const index = view.slices();
	const matches = view.matches();
	return (resource, { name, node }) => {
		const deviceClass = classes.get(resource);
		if (deviceClass === undefined) return undefined;
		let [allocatable, before] = [0, 0];
		try {
			for (const slice of [...(index.onNode.get(name) ?? []), ...index.shared])
				for (const device of slice.spec.devices ?? []) {
					if (!reaches(slice.spec.perDeviceNodeSelection === true ? device : slice.spec, node)) continue;
					if (!isOf(deviceClass, { driver: slice.spec.driver, device }, matches)) continue;
					const id = idOf(slice, device);
					allocatable++;
					if (whole.has(id) || shared.has(id)) before++;
				}
		} catch {
			return undefined;
		}
		return { allocatable, before };
	};
}

function isOf({ spec: { selectors = [] } }: DeviceClass, device: Parameters<Matches>[1], matches: Matches | undefined): boolean {
	return selectors.every(({ cel }) => cel === undefined || matches?.(cel.expression, device) === true);
}
