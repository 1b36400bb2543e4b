/**
 * Cluster IPs of Services, and their node ports. What is taken is what the store says: an IPAddress object for every cluster IP, written in the commit that
 * writes the Service, so that neither can drift, however many servers share the store.
 */
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import type { IPAddress, Service, ServiceCIDR, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { internalError, invalid } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import { ipAddress } from '../../../api/validation/network/ip-address.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Store, Write } from '../../storage/store.ts';
import type { Parsed } from '../answer/parsed.ts';
import { AllocatorMetrics } from '../metrics/allocator-metrics.ts';
import type { Allocation, Allocator, Caller } from '../registry/context.ts';
import { OWN_MANAGER } from '../registry/itself.ts';
import { collectionPrefix, storeKey, type Kind, type Kinds } from '../registry/kinds.ts';
import { trackCreate } from '../registry/managed-fields.ts';
import { DEFAULT_RANGE } from '../bootstrap/default-service-cidr.ts';
import { addressLabels, heldAddresses } from './held-addresses.ts';
import { completeFamilies } from './ip-families.ts';
import { familyOf, IpRange, type Family } from './ip-range.ts';
import { NodePorts } from './node-ports.ts';
import { refused } from './refused.ts';
import { endpointsRemoval } from './service-endpoints.ts';

const NOTHING: Allocation = { writes: [], undo: () => {} };

export interface AllocatorDeps {
	readonly kinds: Kinds;
	readonly store: Store;
	readonly parsed: Parsed;
	readonly clock: Clock;
	/** Of the cluster, the default one first: what the server was told. Which ranges they have, ServiceCIDR objects say. */
	readonly families: readonly Family[];
	readonly nodePorts: readonly [number, number];
	readonly metrics: Registry;
}

export class ServiceAllocator implements Allocator {
	readonly #deps: AllocatorDeps;
	readonly nodePorts: NodePorts;
	readonly metrics: AllocatorMetrics;

	constructor(deps: AllocatorDeps) {
		this.#deps = deps;
		const metrics = (this.metrics = new AllocatorMetrics(deps.metrics));
		this.nodePorts = new NodePorts({ ...deps, metrics, services: () => this.services() });
	}

	prepare(kind: Kind, object: KubeObject, old: KubeObject | undefined, dryRun: boolean): Allocation {
		if (!isService(kind)) return NOTHING;
		const service = object as Service & KubeObject;
		const { spec } = service;
		if (spec === undefined) return NOTHING;
		const given = structuredClone(spec);
		const before = (old as Service | undefined)?.spec;
		const errors = completeFamilies(spec, before, this.#deps.families);
		if (errors.length > 0) throw refused(service, errors);
		const writes = [...this.#addresses(service, before, dryRun), ...this.nodePorts.prepare(service, before)];
		return { writes, undo: () => (service.spec = given) };
	}

	release(kind: Kind, object: KubeObject): readonly Write[] {
		if (!isService(kind)) return [];
		const service = object as Service & KubeObject;
		const addresses = heldAddresses(service.spec).flatMap((address) => this.#giveBack(service, address));
		return [...addresses, ...this.nodePorts.release(service.spec), ...endpointsRemoval(this.#deps, service)];
	}

	/** The IPAddress object of a service's address, to be created with it. */
	addressWrite(service: Service & KubeObject, address: string): Write {
		const { kinds, clock } = this.#deps;
		const kind = kinds.of(IP_ADDRESSES);
		const object = this.#addressObject(service, address);
		trackCreate(kind, object, { manager: OWN_MANAGER } as Caller, clock.now());
		return { key: storeKey(kind, '', address), expect: 'absent', value: kind.encode(object) };
	}

	#addressObject(service: Service & KubeObject, address: string): IPAddress & KubeObject {
		const { clock } = this.#deps;
		return {
			apiVersion: 'networking.k8s.io/v1',
			kind: 'IPAddress',
			metadata: {
				name: address,
				uid: clock.uuid(),
				creationTimestamp: timeOf(clock.now()),
				labels: { ...addressLabels(address) },
			},
			spec: { parentRef: { resource: 'services', namespace: service.metadata.namespace ?? '', name: service.metadata.name ?? '' } },
		};
	}

	/** A Service without a name, or with one that is no part of a path, cannot be the parent of its address: told before anything else of it is looked at. */
	#newAddress(service: Service & KubeObject, address: string, asked: string): Write {
		const errors: FieldError[] = [];
		ipAddress(errors, this.#addressObject(service, address));
		if (errors.length === 0) return this.addressWrite(service, address);
		const why = invalid(IP_ADDRESSES, address, errors).message;
		const { clusterIPs = [], ipFamilies = [] } = service.spec ?? {};
		const shown = ipFamilies.map((_, i) => clusterIPs[i] ?? '');
		throw refused(service, [invalidValue('spec.clusterIPs', shown, `failed to allocate IP${asked}: ${why}`)]);
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

	/** What new addresses come from: the ranges of objects that are ready, or of which nobody has said it yet, and that stay. */
	#ranges(): readonly IpRange[] {
		const { kinds, store, parsed } = this.#deps;
		const { entries } = store.list(collectionPrefix(kinds.of(SERVICE_CIDRS), ''), {});
		const usable = entries.map((entry) => parsed.of<ServiceCIDR & KubeObject>(entry)).filter(isUsable);
		const cidrs = usable.toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a))).flatMap(({ spec }) => spec?.cidrs ?? []);
		return [...new Set(cidrs)].map((cidr) => new IpRange(cidr));
	}

	#addresses(service: Service & KubeObject, before: ServiceSpec | undefined, dryRun: boolean): Write[] {
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
				if (!dryRun) writes.push(this.#newAddress(service, free, ''));
				return free;
			}
			// What is no address, or takes another one's place, is for validation to say.
			const isChanged = before?.type !== 'ExternalName' && before?.clusterIPs?.[i] !== undefined;
			if (had.includes(address) || isChanged || familyOf(address) === undefined) return address;
			if (dryRun) this.#inRange(service, asked, address);
			else writes.push(this.#takeAddress(service, asked, address));
			return address;
		});
		spec.clusterIP = addresses[0];
		spec.clusterIPs = addresses;
		return [...writes, ...freed()];
	}

	#freeAddress(family: Family): string {
		const { clock } = this.#deps;
		const started = clock.monotonic();
		const isTaken = (address: string): boolean => this.addressOf(address) !== undefined;
		for (const range of this.#ranges()) {
			if (range.family !== family) continue;
			const address = range.free(isTaken, clock.random());
			if (address !== undefined) {
				this.metrics.address(range.cidr, 'dynamic', (clock.monotonic() - started) / 1000);
				return address;
			}
			this.metrics.addressRefused(range.cidr, 'dynamic');
		}
		throw internalError('failed to allocate a serviceIP: range is full');
	}

	/** All that a dry run asks of an address; upstream asks one allocator, which tells of its own range. */
	#inRange(service: Service & KubeObject, asked: readonly string[], address: string): void {
		const ranges = this.#ranges().filter(({ family }) => family === familyOf(address));
		if (ranges.some((range) => range.contains(address))) return;
		const why = `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${ranges[0]?.cidr ?? ''}`;
		throw refused(service, [invalidValue('spec.clusterIPs', asked, `failed to allocate IP ${address}: ${why}`)]);
	}

	#takeAddress(service: Service & KubeObject, asked: readonly string[], address: string): Write {
		const { clock } = this.#deps;
		const started = clock.monotonic();
		const refuse = (why: string): Error =>
			refused(service, [invalidValue('spec.clusterIPs', asked, `failed to allocate IP ${address}: ${why}`)]);
		const range = this.#ranges().find((r) => r.contains(address));
		if (range === undefined) throw refuse('the provided network does not match the current range');
		if (this.addressOf(address) !== undefined) {
			this.metrics.addressRefused(range.cidr, 'static');
			throw refuse('provided IP is already allocated');
		}
		this.metrics.address(range.cidr, 'static', (clock.monotonic() - started) / 1000);
		return this.#newAddress(service, address, ` ${address}`);
	}

	/** Only what is this service's is given back. */
	#giveBack({ metadata }: KubeObject, address: string): Write[] {
		const object = this.addressOf(address);
		const parent = object?.spec?.parentRef;
		if (object === undefined || parent?.namespace !== metadata.namespace || parent?.name !== metadata.name) return [];
		const key = storeKey(this.#deps.kinds.of(IP_ADDRESSES), '', address);
		return [{ key, expect: BigInt(object.metadata.resourceVersion ?? 0) }];
	}
}

function isUsable({ metadata, status }: ServiceCIDR & KubeObject): boolean {
	const ready = status?.conditions?.find(({ type }) => type === 'Ready');
	return metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === 'True');
}

function isDefault({ metadata }: KubeObject): boolean {
	return metadata.name === DEFAULT_RANGE;
}

function isService({ resource }: Kind): boolean {
	return resource.kind === 'Service' && resource.group === '';
}
