/** The pools of devices that a node can use, from the slices that drivers publish (upstream's GatherPools). Pure. */
import { deviceKey } from '../../../api/device-key.ts';
import type { CounterSet, Device, Node, NodeSelector, ResourceSlice } from '../../../api/gen/types.ts';
import { matchesNodeTerm } from '../../../api/pod/node-affinity.ts';

export interface PoolDevice {
	/** "driver/pool/device" */
	readonly id: string;
	readonly driver: string;
	readonly device: Device;
	readonly slice: ResourceSlice;
	readonly pool: Pool;
}

export interface Pool {
	/** "driver/pool" */
	readonly id: string;
	/** "incomplete" while it is being published; "invalid" where names are there twice, or counters are not there. */
	readonly state: 'usable' | 'incomplete' | 'invalid';
	/** Of slices that reach the node, in the order of the slices' names. */
	readonly devices: readonly PoolDevice[];
	/** Slices of other nodes, whose devices draw on the same counters. */
	readonly elsewhere: readonly ResourceSlice[];
	readonly counterSets: ReadonlyMap<string, CounterSet>;
}

/** All slices, found by what they say of nodes and pools. */
export interface SliceIndex {
	readonly onNode: ReadonlyMap<string, readonly ResourceSlice[]>;
	/** Of more than one node, or with counters that others draw on. */
	readonly shared: readonly ResourceSlice[];
	readonly ofPool: ReadonlyMap<string, readonly ResourceSlice[]>;
}

export function indexSlices(slices: readonly ResourceSlice[]): SliceIndex {
	const nodeOf = ({ spec }: ResourceSlice): string => ((spec.sharedCounters ?? []).length > 0 ? '' : (spec.nodeName ?? ''));
	const onNode = Map.groupBy(slices, nodeOf);
	const shared = onNode.get('') ?? [];
	onNode.delete('');
	return { onNode, shared, ofPool: Map.groupBy(slices, poolOf) };
}

/** By name; those with devices that must be bound first are last. */
export function poolsOf(node: Node, index: SliceIndex): readonly Pool[] {
	const near = [...(index.onNode.get(node.metadata.name ?? '') ?? []), ...index.shared].filter((slice) => concerns(slice, node));
	const pools = [...Map.groupBy(near, poolOf)].flatMap(([id, slices]) => poolOfSlices(id, slices, index.ofPool.get(id) ?? []) ?? []);
	const last = (pool: Pool): number => (pool.devices.some(({ device }) => device.bindingConditions !== undefined) ? 1 : 0);
	return pools.toSorted((a, b) => last(a) - last(b) || byPool(a, b));
}

/** The driver counts before the pool, which the joined name would not always say. */
function byPool(a: Pool, b: Pool): number {
	const [[driver = '', pool = ''], [otherDriver = '', otherPool = '']] = [split(a.id), split(b.id)];
	if (driver !== otherDriver) return driver < otherDriver ? -1 : 1;
	return pool < otherPool ? -1 : 1;
}

/** Drivers have no slash, pools may. */
function split(id: string): readonly string[] {
	const slash = id.indexOf('/');
	return [id.slice(0, slash), id.slice(slash + 1)];
}

function poolOf({ spec }: ResourceSlice): string {
	return `${spec.driver}/${spec.pool.name}`;
}

/** Counters are needed to use a pool, whatever node they are said to be of. */
function concerns({ spec }: ResourceSlice, node: Node): boolean {
	if ((spec.sharedCounters ?? []).length > 0) return true;
	if ((spec.nodeName ?? '') !== '' || spec.allNodes === true || spec.nodeSelector !== undefined) return reaches(spec, node);
	return spec.perDeviceNodeSelection === true && (spec.devices ?? []).some((device) => reaches(device, node));
}

/** @param all of the pool, of every generation; undefined where the pool is published anew and has nothing here any more */
function poolOfSlices(id: string, near: readonly ResourceSlice[], all: readonly ResourceSlice[]): Pool | undefined {
	const generation = Math.max(...near.map(({ spec }) => spec.pool.generation));
	const here = near.filter(({ spec }) => spec.pool.generation === generation);
	const wanted = here[0]?.spec.pool.resourceSliceCount;
	if (here.length === wanted) return pool(id, here, []);
	if (all.some(({ spec }) => spec.pool.generation > generation)) return undefined;
	const whole = all.filter(({ spec }) => spec.pool.generation === generation);
	if (whole.length !== wanted) return { id, state: 'incomplete', devices: [], elsewhere: [], counterSets: new Map() };
	return pool(
		id,
		here,
		whole.filter((slice) => !here.includes(slice)),
	);
}

function pool(id: string, here: readonly ResourceSlice[], elsewhere: readonly ResourceSlice[]): Pool {
	const sets = here.flatMap(({ spec }) => spec.sharedCounters ?? []);
	const counterSets = new Map(sets.map((set) => [set.name, set]));
	const inOrder = here.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
	const names = inOrder.flatMap(({ spec }) => (spec.devices ?? []).map(({ name }) => name));
	const isValid =
		new Set(names).size === names.length &&
		counterSets.size === sets.length &&
		[...here, ...elsewhere].every((slice) => (slice.spec.devices ?? []).every((device) => hasItsCounters(device, counterSets)));
	if (!isValid) return { id, state: 'invalid', devices: [], elsewhere: [], counterSets };
	const devices: PoolDevice[] = [];
	const made: Pool = { id, state: 'usable', devices, elsewhere, counterSets };
	for (const slice of inOrder)
		for (const device of slice.spec.devices ?? [])
			devices.push({ id: idOf(slice, device), driver: slice.spec.driver, device, slice, pool: made });
	return made;
}

function hasItsCounters({ consumesCounters = [] }: Device, counterSets: Pool['counterSets']): boolean {
	return consumesCounters.every(({ counterSet, counters }) => {
		const known = counterSets.get(counterSet)?.counters;
		return known !== undefined && Object.keys(counters).every((name) => Object.hasOwn(known, name));
	});
}

export function idOf({ spec }: ResourceSlice, { name }: Device): string {
	return deviceKey({ driver: spec.driver, pool: spec.pool.name, device: name });
}

interface Where {
	readonly nodeName?: string | undefined;
	readonly allNodes?: boolean | undefined;
	readonly nodeSelector?: NodeSelector | undefined;
}

export function reaches({ nodeName = '', allNodes, nodeSelector }: Where, node: Node): boolean {
	if (nodeName !== '') return nodeName === node.metadata.name;
	if (allNodes === true) return true;
	return nodeSelector !== undefined && selects(nodeSelector, node);
}

export function selects({ nodeSelectorTerms = [] }: NodeSelector, node: Node): boolean {
	return nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}
