/**
 * Cluster IPs and node ports of Services. What is taken is what the store says: an IPAddress object for every cluster IP, a RangeAllocation for
 * the node ports. Both are written in the commit that writes the Service, so neither can drift, however many servers share the store.
 */
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import type { IPAddress, RangeAllocation, Service, ServiceCIDR, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { internalError, invalid } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Encoded, Store, Write } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import type { Parsed } from '../answer/parsed.ts';
import type { Allocation, Allocator, Caller } from '../registry/context.ts';
import { collectionPrefix, storeKey, type Kind, type Kinds } from '../registry/kinds.ts';
import { trackCreate } from '../registry/managed-fields.ts';
import { completeFamilies } from './ip-families.ts';
import { familyOf, IpRange, type Family } from './ip-range.ts';
import { PortBitmap } from './port-bitmap.ts';

export const NODE_PORTS_KEY = '/core/ranges/servicenodeports';
const MANAGED_BY = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
const NOTHING: Allocation = { writes: [], undo: () => {} };

export interface AllocatorDeps {
	readonly kinds: Kinds;
	readonly store: Store;
	readonly parsed: Parsed;
	readonly clock: Clock;
	/** The ranges the cluster began with; ServiceCIDR objects add more. */
	readonly cidrs: readonly string[];
	readonly nodePorts: readonly [number, number];
}

export class ServiceAllocator implements Allocator {
	readonly #deps: AllocatorDeps;
	readonly #first: readonly IpRange[];

	constructor(deps: AllocatorDeps) {
		this.#deps = deps;
		this.#first = deps.cidrs.map((cidr) => new IpRange(cidr));
	}

	prepare(kind: Kind, object: KubeObject, old: KubeObject | undefined): Allocation {
		if (!isService(kind)) return NOTHING;
		const service = object as Service & KubeObject;
		const { spec } = service;
		if (spec === undefined) return NOTHING;
		const given = structuredClone(spec);
		const before = (old as Service | undefined)?.spec;
		const errors = completeFamilies(spec, before, this.#families());
		if (errors.length > 0) throw refused(service, errors);
		const writes = [...this.#addresses(service, before), ...this.#ports(service, before)];
		return { writes, undo: () => (service.spec = given) };
	}

	release(kind: Kind, object: KubeObject): readonly Write[] {
		if (!isService(kind)) return [];
		const service = object as Service & KubeObject;
		const writes = heldAddresses(service.spec).flatMap((address) => this.#giveBack(service, address));
		const ports = heldPorts(service.spec);
		if (ports.length > 0) writes.push(...this.#portWrites((bitmap) => ports.forEach((port) => bitmap.release(port))));
		return writes;
	}

	/** The IPAddress object of a service's address, to be created with it. */
	addressWrite(service: Service & KubeObject, address: string): Write {
		const { kinds, clock } = this.#deps;
		const kind = kinds.of(IP_ADDRESSES);
		const object: IPAddress & KubeObject = {
			apiVersion: 'networking.k8s.io/v1',
			kind: 'IPAddress',
			metadata: {
				name: address,
				uid: clock.uuid(),
				creationTimestamp: timeOf(clock.now()),
				labels: { 'ipaddress.kubernetes.io/ip-family': address.includes(':') ? 'IPv6' : 'IPv4', ...MANAGED_BY },
			},
			spec: { parentRef: { resource: 'services', namespace: service.metadata.namespace ?? '', name: service.metadata.name ?? '' } },
		};
		trackCreate(kind, object, { manager: 'kube-apiserver' } as Caller, clock.now());
		return { key: storeKey(kind, '', address), expect: 'absent', value: kind.encode(object) };
	}

	addressOf(address: string): (IPAddress & KubeObject) | undefined {
		const { kinds, store, parsed } = this.#deps;
		const entry = store.get(storeKey(kinds.of(IP_ADDRESSES), '', address));
		return entry === undefined ? undefined : parsed.of(entry);
	}

	services(): readonly (Service & KubeObject)[] {
		const { kinds, store, parsed } = this.#deps;
		return store.list(collectionPrefix(kinds.of(SERVICES), ''), {}).entries.map((entry) => parsed.of(entry));
	}

	#families(): readonly Family[] {
		return [...new Set(this.#ranges().map((r) => r.family))];
	}

	#ranges(): readonly IpRange[] {
		const { kinds, store, parsed } = this.#deps;
		const ranges = [...this.#first];
		for (const entry of store.list(collectionPrefix(kinds.of(SERVICE_CIDRS), ''), {}).entries) {
			const { metadata, spec, status } = parsed.of<ServiceCIDR & KubeObject>(entry);
			const ready = status?.conditions?.find((c) => c.type === 'Ready')?.status !== 'False';
			if (metadata.deletionTimestamp !== undefined || !ready) continue;
			for (const cidr of spec?.cidrs ?? []) if (!ranges.some((r) => r.cidr === cidr)) ranges.push(new IpRange(cidr));
		}
		return ranges;
	}

	#addresses(service: Service & KubeObject, before: ServiceSpec | undefined): Write[] {
		const spec = service.spec as ServiceSpec;
		const had = heldAddresses(before);
		const freed = (): Write[] => had.filter((a) => !heldAddresses(spec).includes(a)).flatMap((a) => this.#giveBack(service, a));
		if (spec.type === 'ExternalName' || spec.clusterIP === 'None') return freed();
		const asked = (spec.clusterIPs ?? []).filter((a) => a !== '');
		const writes: Write[] = [];
		const addresses = (spec.ipFamilies ?? []).map((family, i) => {
			const address = asked[i];
			if (address === undefined) {
				const free = this.#freeAddress(family as Family);
				writes.push(this.addressWrite(service, free));
				return free;
			}
			// What is no address is for validation to say.
			if (!had.includes(address) && familyOf(address) !== undefined) writes.push(this.#takeAddress(service, asked, address));
			return address;
		});
		spec.clusterIP = addresses[0];
		spec.clusterIPs = addresses;
		return [...writes, ...freed()];
	}

	#freeAddress(family: Family): string {
		const isTaken = (address: string): boolean => this.addressOf(address) !== undefined;
		for (const range of this.#ranges()) {
			if (range.family !== family) continue;
			const address = range.free(isTaken, this.#deps.clock.random());
			if (address !== undefined) return address;
		}
		throw internalError('failed to allocate a serviceIP: range is full');
	}

	#takeAddress(service: Service & KubeObject, asked: readonly string[], address: string): Write {
		const why = !this.#ranges().some((r) => r.contains(address))
			? 'the provided network does not match the current range'
			: this.addressOf(address) !== undefined
				? 'provided IP is already allocated'
				: undefined;
		if (why !== undefined) throw refused(service, [invalidValue('spec.clusterIPs', asked, `failed to allocate IP ${address}: ${why}`)]);
		return this.addressWrite(service, address);
	}

	/** Only what is this service's is given back. */
	#giveBack({ metadata }: KubeObject, address: string): Write[] {
		const object = this.addressOf(address);
		const parent = object?.spec?.parentRef;
		if (object === undefined || parent?.namespace !== metadata.namespace || parent?.name !== metadata.name) return [];
		const key = storeKey(this.#deps.kinds.of(IP_ADDRESSES), '', address);
		return [{ key, expect: BigInt(object.metadata.resourceVersion ?? 0) }];
	}

	#ports(service: Service & KubeObject, before: ServiceSpec | undefined): readonly Write[] {
		const spec = service.spec as ServiceSpec;
		const had = new Set(heldPorts(before));
		const wants = spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
		const checked = spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
		if (checked && (spec.healthCheckNodePort ?? 0) === 0 && (before?.healthCheckNodePort ?? 0) !== 0)
			spec.healthCheckNodePort = before?.healthCheckNodePort;
		const nothing = !wants && !checked && had.size === 0 && heldPorts(spec).length === 0;
		if (nothing || spec.type === 'ClusterIP') return this.#freed(spec, had);
		return this.#portWrites((bitmap) => {
			/** Taken by this service in this write, by protocol: TCP and UDP may share a number. */
			const mine = new Set<string>();
			for (const [i, port] of (spec.ports ?? []).entries())
				this.#port(service, bitmap, had, mine, wants, `spec.ports[${i}].nodePort`, port);
			if (checked) this.#healthCheckPort(spec, bitmap, had);
			for (const port of had) if (!heldPorts(spec).includes(port)) bitmap.release(port);
		});
	}

	#freed(spec: ServiceSpec, had: ReadonlySet<number>): readonly Write[] {
		const free = [...had].filter((port) => !heldPorts(spec).includes(port));
		return free.length === 0 ? [] : this.#portWrites((bitmap) => free.forEach((port) => bitmap.release(port)));
	}

	#port(
		service: KubeObject,
		bitmap: PortBitmap,
		had: ReadonlySet<number>,
		mine: Set<string>,
		wants: boolean,
		field: string,
		port: NonNullable<ServiceSpec['ports']>[number],
	): void {
		const protocol = port.protocol ?? 'TCP';
		const asked = port.nodePort ?? 0;
		if (asked === 0) {
			if (!wants) return;
			// One number serves a port in every protocol.
			const free = bitmap.free(this.#deps.clock.random());
			if (free === undefined) throw internalError('failed to allocate a nodePort: range is full');
			port.nodePort = free;
		} else if (!had.has(asked)) {
			const shared = [...mine].some((m) => m.startsWith(`${asked}/`)) && !mine.has(`${asked}/${protocol}`);
			const why = this.#portRefusal(bitmap, asked);
			if (why !== undefined && !shared) throw refused(service, [invalidValue(field, asked, why)]);
		}
		bitmap.take(port.nodePort as number);
		mine.add(`${port.nodePort}/${protocol}`);
	}

	#healthCheckPort(spec: ServiceSpec, bitmap: PortBitmap, had: ReadonlySet<number>): void {
		const asked = spec.healthCheckNodePort ?? 0;
		if (asked === 0) {
			const free = bitmap.free(this.#deps.clock.random());
			if (free === undefined) throw internalError('failed to allocate a HealthCheck NodePort : range is full');
			spec.healthCheckNodePort = free;
		} else if (!had.has(asked)) {
			const why = this.#portRefusal(bitmap, asked);
			if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
		}
		bitmap.take(spec.healthCheckNodePort as number);
	}

	#portRefusal(bitmap: PortBitmap, port: number): string | undefined {
		if (!bitmap.contains(port)) return `provided port is not in the valid range. The range of valid ports is ${bitmap.range}`;
		return bitmap.has(port) ? 'provided port is already allocated' : undefined;
	}

	/** The change of the node ports' RangeAllocation; one that changes nothing is none. */
	#portWrites(change: (bitmap: PortBitmap) => void): Write[] {
		const entry = this.#deps.store.get(NODE_PORTS_KEY);
		const bitmap = this.nodePorts();
		const before = bitmap.data;
		change(bitmap);
		if (entry !== undefined && bitmap.data === before) return [];
		return [{ key: NODE_PORTS_KEY, expect: entry?.revision ?? 'absent', value: portsValue(bitmap, this.#deps.clock.now()) }];
	}

	/** What is taken now; from the Services themselves where nobody has written it down yet. */
	nodePorts(): PortBitmap {
		const { store, parsed, nodePorts } = this.#deps;
		const entry = store.get(NODE_PORTS_KEY);
		if (entry === undefined)
			return new PortBitmap(
				nodePorts,
				this.services().flatMap(({ spec }) => heldPorts(spec)),
			);
		return PortBitmap.read(nodePorts, parsed.of<RangeAllocation & KubeObject>(entry).data ?? '');
	}
}

export function portsValue(bitmap: PortBitmap, now: number): Encoded {
	const object: RangeAllocation & KubeObject = {
		kind: 'RangeAllocation',
		apiVersion: 'v1',
		metadata: { creationTimestamp: timeOf(now) },
		range: bitmap.range,
		data: bitmap.data,
	};
	return encode(object, { labels: {}, fields: {} });
}

function isService({ resource }: Kind): boolean {
	return resource.kind === 'Service' && resource.group === '';
}

export function heldAddresses(spec: ServiceSpec | undefined): readonly string[] {
	if (spec === undefined || spec.type === 'ExternalName') return [];
	return (spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP])).filter((ip) => ip !== '' && ip !== 'None');
}

export function heldPorts(spec: ServiceSpec | undefined): readonly number[] {
	const ports = (spec?.ports ?? []).map((p) => p.nodePort ?? 0);
	return [...ports, spec?.healthCheckNodePort ?? 0].filter((port) => port !== 0);
}

function refused({ metadata }: KubeObject, errors: readonly FieldError[]): Error {
	return invalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}
