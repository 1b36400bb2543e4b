/**
 * Puts right what is written down of service addresses and node ports (upstream's repairip and portallocator repair loops): Services made before
 * there were IPAddresses, addresses and ports whose Service is gone, allocations that were deleted by hand.
 */
import type { Service } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import { IP_ADDRESSES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Store, Write } from '../../storage/store.ts';
import type { ObjectReader } from '../contracts.ts';
import { storeKey, type Kinds } from '../registry/kinds.ts';
import { heldPorts, NODE_PORTS_KEY, portsValue } from './node-ports.ts';
import { PortBitmap } from './port-bitmap.ts';
import { heldAddresses, type ServiceAllocator } from './service-allocator.ts';

/** Upstream's interval of both loops. */
const INTERVAL_MS = 180_000;

export interface RepairDeps {
	readonly allocator: ServiceAllocator;
	readonly reader: ObjectReader;
	readonly kinds: Kinds;
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly nodePorts: readonly [number, number];
	/** Called each time everything has been looked at. */
	readonly checked?: (() => void) | undefined;
}

/** Once now, then at every interval until the signal aborts. */
export async function repairAllocations(deps: RepairDeps, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		try {
			await repairOnce(deps, signal);
			deps.checked?.();
		} catch (error) {
			if (signal.aborted) return;
			deps.allocator.metrics.repairFailed();
			deps.log.warn('service addresses and node ports were not checked', { why: messageOf(error) });
		}
		await deps.clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
	}
}

async function repairOnce(deps: RepairDeps, signal: AbortSignal): Promise<void> {
	const { store, log } = deps;
	const services = deps.allocator.services();
	// Each by itself: somebody else may be faster with one of them.
	for (const write of [...missing(deps, services), ...orphaned(deps, services), ...ports(deps, services)]) {
		log.info('a service allocation is put right', { key: write.key, removed: write.value === undefined });
		await store.commit([write], signal).catch(ignore('Aborted'));
	}
}

function missing({ allocator }: RepairDeps, services: readonly (Service & KubeObject)[]): Write[] {
	return services.flatMap((service) =>
		heldAddresses(service.spec)
			.filter((address) => allocator.addressOf(address) === undefined)
			.map((address) => allocator.addressWrite(service, address)),
	);
}

function orphaned({ reader, kinds }: RepairDeps, services: readonly (Service & KubeObject)[]): Write[] {
	const holders = new Map(services.map((service) => [keyOf(service), heldAddresses(service.spec)]));
	const kind = kinds.of(IP_ADDRESSES);
	return reader.list(IP_ADDRESSES).flatMap(({ metadata, spec }) => {
		const { resource, group = '', namespace = '', name } = spec?.parentRef ?? {};
		if (resource !== 'services' || group !== '' || metadata.labels?.['ipaddress.kubernetes.io/managed-by'] !== 'ipallocator.k8s.io')
			return [];
		if (holders.get(`${namespace}/${name}`)?.includes(metadata.name ?? '') === true) return [];
		return [{ key: storeKey(kind, '', metadata.name ?? ''), expect: BigInt(metadata.resourceVersion ?? 0) }];
	});
}

function ports({ allocator, store, clock, nodePorts }: RepairDeps, services: readonly (Service & KubeObject)[]): Write[] {
	const entry = store.get(NODE_PORTS_KEY);
	const right = new PortBitmap(
		nodePorts,
		services.flatMap(({ spec }) => heldPorts(spec)),
	);
	if (entry !== undefined && allocator.nodePorts.taken().data === right.data) return [];
	return [{ key: NODE_PORTS_KEY, expect: entry?.revision ?? 'absent', value: portsValue(right, clock.now()) }];
}
