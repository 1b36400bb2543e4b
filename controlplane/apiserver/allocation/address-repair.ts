/** Puts right the IPAddress objects of Services, and tells of it: acts on what address-findings.ts finds. */
import type { Service } from '../../../api/gen/types.ts';
import type { Key, KubeObject } from '../../../api/resource.ts';
import { IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Again } from '../../../client/workqueue.ts';
import type { Store } from '../../storage/store.ts';
import type { ObjectReader } from '../contracts.ts';
import { storeKey, type Kinds } from '../registry/kinds.ts';
import { addressVerdict, serviceFaults, type Seen, type Warning } from './address-findings.ts';
import { heldAddresses } from './held-addresses.ts';
import { IpRange } from './ip-range.ts';
import { REPAIR_INTERVAL_MS } from './repair-interval.ts';
import type { ServiceAllocator } from './service-allocator.ts';

export interface AddressRepairDeps {
	readonly allocator: Pick<ServiceAllocator, 'addressOf' | 'addressWrite' | 'services'>;
	readonly reader: Pick<ObjectReader, 'get' | 'list'>;
	readonly kinds: Kinds;
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly recorder: EventRecorder;
}

/** The component of its Events. */
export const ADDRESS_REPAIR = 'ipallocator-repair-controller';

export class AddressRepair {
	readonly #deps: AddressRepairDeps;
	readonly #seen: Seen;

	constructor(deps: AddressRepairDeps) {
		this.#deps = deps;
		const { allocator, reader } = deps;
		this.#seen = {
			address: (name) => allocator.addressOf(name),
			service: (key) => reader.get(SERVICES, key),
			inRange: (address) =>
				reader.list(SERVICE_CIDRS).some(({ spec }) => (spec?.cidrs ?? []).some((cidr) => new IpRange(cidr).contains(address))),
		};
	}

	/** Looked at again while something is wrong with it that only people can put right. */
	async service(key: Key, signal: AbortSignal): Promise<Again | void> {
		const service = this.#seen.service(key);
		const faults = service === undefined ? [] : serviceFaults(service, this.#seen);
		for (const { address, remedy, warning } of faults) {
			this.#tell('service', service as Service & KubeObject, warning);
			if (remedy === 'recreate') await this.#remove(address, signal);
			if (remedy === 'none') continue;
			const { allocator, store, log } = this.#deps;
			await store.commit([allocator.addressWrite(service as Service & KubeObject, address)], signal);
			log.info('an IPAddress was made that was missing or wrong', { service: key, address });
		}
		return faults.some(({ remedy }) => remedy === 'none') ? { afterMs: REPAIR_INTERVAL_MS } : undefined;
	}

	/** @param left is told the Services whose address it took away */
	async address(name: string, left: (service: Key) => void, signal: AbortSignal): Promise<Again | void> {
		const { allocator, clock, log } = this.#deps;
		const object = allocator.addressOf(name);
		if (object === undefined) return;
		const verdict = addressVerdict(object, this.#seen, clock.now());
		if (verdict.type === 'right') return;
		if (verdict.type === 'early') return verdict;
		this.#tell('address', object, verdict.warning);
		await this.#remove(name, signal);
		log.info("an IPAddress was removed that is no Service's", { address: name });
		for (const { metadata, spec } of allocator.services())
			if (heldAddresses(spec).includes(name)) left(`${metadata.namespace}/${metadata.name}`);
	}

	async #remove(name: string, signal: AbortSignal): Promise<void> {
		const { allocator, kinds, store } = this.#deps;
		const object = allocator.addressOf(name);
		if (object === undefined) return;
		const key = storeKey(kinds.of(IP_ADDRESSES), '', name);
		await store.commit([{ key, expect: BigInt(object.metadata.resourceVersion ?? 0) }], signal);
	}

	#tell(what: 'service' | 'address', object: KubeObject, warning: Warning | undefined): void {
		if (warning === undefined) return;
		const about = what === 'service' ? referenceTo(SERVICES, object) : referenceTo(IP_ADDRESSES, object);
		this.#deps.recorder.event(about, 'Warning', warning.reason, warning.message);
	}
}
