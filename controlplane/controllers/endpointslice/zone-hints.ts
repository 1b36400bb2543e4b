/** Hints by which zones share the endpoints of a service (topology-mode Auto). Pure; upstream's endpointslice/topologycache. */
import type { Endpoint, EndpointSlice } from '../../../api/gen/types.ts';
import type { SlicePlan } from './plan.ts';
import { allocationsOf, type Allocation, type ByZone } from './zone-shares.ts';

export interface ZoneHints {
	readonly plan: SlicePlan;
	/** Endpoints by the zone that they are meant for; a text says why there are no hints. */
	readonly zones: ByZone | string;
}

type Counts = Map<string, number>;

/** The plan with hints; `kept` are the slices that it leaves alone, some of which may have to be written as well. */
export function withZoneHints(plan: SlicePlan, kept: readonly EndpointSlice[], shares: ByZone | undefined): ZoneHints {
	const ready = [...plan.create, ...plan.update, ...kept].reduce((sum, slice) => sum + (slice.endpoints ?? []).filter(isReady).length, 0);
	const allocations = allocationsOf(shares, ready);
	if (typeof allocations === 'string') return { plan: withoutHints(plan, kept), zones: allocations };
	const zones: Counts = new Map();
	const again = kept.filter((slice) => !isKept(slice, zones, allocations));
	const update = [...plan.update, ...again].map(inOwnZones);
	const create = plan.create.map(inOwnZones);
	const endpoints = [...create, ...update].flatMap((slice) => slice.endpoints).filter(isReady);
	if (endpoints.some(({ zone = '' }) => zone === ''))
		return { plan: withoutHints(plan, kept), zones: 'One or more endpoints do not have a zone specified' };
	for (const { zone = '' } of endpoints) add(zones, zone, 1);
	redistribute(endpoints, zones, allocations);
	if (zones.size === 0) return { plan: withoutHints(plan, kept), zones: 'No hints allocated for zones' };
	return { plan: { ...plan, create, update }, zones };
}

/** The plan where there are none: slices that have some are written without. */
function withoutHints(plan: SlicePlan, kept: readonly EndpointSlice[]): SlicePlan {
	const bare = (slice: EndpointSlice): EndpointSlice => ({ ...slice, endpoints: (slice.endpoints ?? []).map(bareEndpoint) });
	const hinted = kept.filter((slice) => (slice.endpoints ?? []).some((endpoint) => endpoint.hints !== undefined));
	return { ...plan, create: plan.create.map(bare), update: [...plan.update, ...hinted].map(bare) };
}

export function bareEndpoint({ hints: _, ...endpoint }: Endpoint): Endpoint {
	return endpoint;
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;

interface Hinted extends EndpointSlice {
	readonly endpoints: Endpoint[];
}

/** To begin with, each endpoint is for its own zone. */
function inOwnZones(slice: EndpointSlice): Hinted {
	const endpoints = (slice.endpoints ?? []).map((endpoint) => {
		const bare = bareEndpoint(endpoint);
		return isReady(bare) && (bare.zone ?? '') !== '' ? { ...bare, hints: { forZones: [{ name: bare.zone ?? '' }] } } : bare;
	});
	return { ...slice, endpoints };
}

/** Whether a slice may stay as it is: each endpoint is for a zone that still wants some, and none gets more than it may. Counts what stays. */
function isKept(slice: EndpointSlice, zones: Counts, allocations: ReadonlyMap<string, Allocation>): boolean {
	const own: Counts = new Map();
	for (const endpoint of slice.endpoints ?? []) {
		if (!isReady(endpoint)) continue;
		const hints = endpoint.hints?.forZones ?? [];
		if (hints.length === 0 || hints.some(({ name }) => !allocations.has(name))) return false;
		for (const { name } of hints) add(own, name, 1);
	}
	for (const [zone, count] of own) if (count + (zones.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? 0)) return false;
	for (const [zone, count] of own) add(zones, zone, count);
	return true;
}

/** Endpoints of zones that have too many are for those that have too few. The endpoints and the counts are changed. */
function redistribute(endpoints: readonly Endpoint[], zones: Counts, allocations: ReadonlyMap<string, Allocation>): void {
	const { giving, receiving } = transfers(zones, allocations);
	for (const endpoint of endpoints) {
		const [to] = receiving.keys();
		if (giving.size === 0 || to === undefined) return;
		const { zone: from = '' } = endpoint;
		if (!giving.has(from)) continue;
		endpoint.hints = { forZones: [{ name: to }] };
		for (const [counts, zone] of [
			[giving, from],
			[receiving, to],
		] as const)
			if (counts.get(zone) === 1) counts.delete(zone);
			else add(counts, zone, -1);
		add(zones, to, 1);
		add(zones, from, -1);
	}
}

/** How many whole endpoints each zone gives away and gets: always from the one that has most too many to the one that lacks most. */
function transfers(zones: Counts, allocations: ReadonlyMap<string, Allocation>): { readonly giving: Counts; readonly receiving: Counts } {
	const surplus: Counts = new Map();
	const lack: Counts = new Map();
	for (const [zone, { desired }] of allocations) {
		const over = (zones.get(zone) ?? 0) - desired;
		if (over > 0) surplus.set(zone, over);
		else if (over < 0) lack.set(zone, -over);
	}
	const giving: Counts = new Map();
	const receiving: Counts = new Map();
	for (;;) {
		const [from, much] = most(surplus);
		const [to, little] = most(lack);
		if ((much < 1 && little < 1) || much < 0.5 || little < 0.5) return { giving, receiving };
		add(giving, from, 1);
		add(surplus, from, -1);
		add(receiving, to, 1);
		add(lack, to, -1);
	}
}

function most(counts: Counts): readonly [zone: string, count: number] {
	return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as readonly [string, number]);
}

function add(counts: Counts, zone: string, count: number): void {
	counts.set(zone, (counts.get(zone) ?? 0) + count);
}
