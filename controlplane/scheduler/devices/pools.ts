/** The devices that a node can use, from the slices that drivers publish. Pure. */
import { deviceKey } from '../../../api/device-key.ts';
import type { Device, Node, NodeSelector, ResourceSlice } from '../../../api/gen/types.ts';
import { matchesNodeTerm } from '../../../api/pod/node-affinity.ts';

export interface NodeDevice {
	readonly driver: string;
	readonly pool: string;
	readonly device: Device;
	/** Other nodes can use it as well. */
	readonly everywhere: boolean;
}

export function idOf({ driver, pool, device }: NodeDevice): string {
	return deviceKey({ driver, pool, device: device.name });
}

/** In the order of their pools' names. Left out: pools that are being published anew. */
export function currentSlices(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
	const pools = Map.groupBy(slices, ({ spec }) => `${spec.driver}/${spec.pool.name}`);
	return [...pools]
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.flatMap(([, all]) => {
			const generation = Math.max(...all.map(({ spec }) => spec.pool.generation));
			const newest = all.filter(({ spec }) => spec.pool.generation === generation);
			return newest.length === newest[0]?.spec.pool.resourceSliceCount ? newest : [];
		});
}

/** Left out: devices that share counters, are given to several at once or must be bound first. @param slices the current ones */
export function devicesOf(node: Node, slices: readonly ResourceSlice[]): readonly NodeDevice[] {
	return slices.flatMap((slice) => devicesIn(slice, node));
}

function devicesIn({ spec }: ResourceSlice, node: Node): readonly NodeDevice[] {
	const { driver, pool, devices = [] } = spec;
	return devices.flatMap((device) => {
		const where = spec.perDeviceNodeSelection === true ? device : spec;
		if (!reaches(where, node) || isSpecial(device)) return [];
		return [{ driver, pool: pool.name, device, everywhere: where.allNodes === true }];
	});
}

interface Where {
	readonly nodeName?: string | undefined;
	readonly allNodes?: boolean | undefined;
	readonly nodeSelector?: NodeSelector | undefined;
}

function reaches({ nodeName, allNodes, nodeSelector }: Where, node: Node): boolean {
	if (allNodes === true) return true;
	return nodeSelector === undefined ? nodeName === node.metadata.name : selects(nodeSelector, node);
}

export function selects({ nodeSelectorTerms = [] }: NodeSelector, node: Node): boolean {
	return nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

function isSpecial({ consumesCounters = [], allowMultipleAllocations, bindingConditions = [] }: Device): boolean {
	return consumesCounters.length > 0 || allowMultipleAllocations === true || bindingConditions.length > 0;
}
