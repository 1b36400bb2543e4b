/**
 * Follows Services, their addresses and what is written down of node ports, and puts right what does not fit (upstream's repairip and portallocator
 * repair loops): Services made before there were IPAddresses, what was deleted or made by hand, what a server of the store left behind. Of what
 * people have to put right, Events tell.
 */
import type { IPAddress, Service, ServiceCIDR } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Turns } from '../../../base/turns.ts';
import type { Client } from '../../../client/client.ts';
import { createRecorder } from '../../../client/events.ts';
import { createWorkQueue, type Again, type WorkQueue } from '../../../client/workqueue.ts';
import type { Store } from '../../storage/store.ts';
import type { ObjectReader } from '../contracts.ts';
import type { Kinds } from '../registry/kinds.ts';
import { parentOf } from './address-findings.ts';
import { ADDRESS_REPAIR, AddressRepair } from './address-repair.ts';
import { heldAddresses, isManaged } from './held-addresses.ts';
import { NODE_PORTS_KEY } from './node-ports.ts';
import { PORT_REPAIR, PortRepair } from './port-repair.ts';
import type { ServiceAllocator } from './service-allocator.ts';

export interface RepairDeps {
	readonly allocator: ServiceAllocator;
	readonly reader: ObjectReader;
	/** Writes Events, as the server itself. */
	readonly client: Client;
	readonly kinds: Kinds;
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly turns: Turns;
	readonly nodePorts: readonly [number, number];
}

/** Changes of node ports within this are looked at together. */
const TOGETHER_MS = 1000;
/** Services looked at before others have their turn. */
const LOOKS_A_TURN = 16;
const PORTS = 'ports';

export class Repair {
	readonly #deps: RepairDeps;
	readonly #addressRecorder: ReturnType<typeof createRecorder>;
	readonly #portRecorder: ReturnType<typeof createRecorder>;
	readonly #addresses: AddressRepair;
	readonly #ports: PortRepair;
	readonly #services: WorkQueue;
	readonly #names: WorkQueue<string>;
	readonly #looks: WorkQueue<typeof PORTS>;
	#looked = 0;

	constructor(deps: RepairDeps) {
		this.#deps = deps;
		const { allocator, clock, nodePorts: range } = deps;
		this.#addressRecorder = createRecorder({ ...deps, component: ADDRESS_REPAIR });
		this.#portRecorder = createRecorder({ ...deps, component: PORT_REPAIR });
		this.#addresses = new AddressRepair({ ...deps, recorder: this.#addressRecorder });
		const { metrics, nodePorts: ports } = allocator;
		this.#ports = new PortRepair({ ...deps, ports, range, metrics, recorder: this.#portRecorder });
		const onError = (key: string, error: unknown): void => this.#failed(key, error);
		this.#services = createWorkQueue({ name: 'services', clock, onError });
		this.#names = createWorkQueue({ name: 'ipaddresses', clock, onError });
		this.#looks = createWorkQueue<typeof PORTS>({ name: 'node-ports', clock, onError });
	}

	/** @param checked called once everything has been looked at */
	async run(signal: AbortSignal, checked: () => void): Promise<void> {
		const recording = [this.#addressRecorder, this.#portRecorder].map((recorder) => recorder.run(signal, () => {}));
		using follows = new DisposableStack();
		this.#follow(follows);
		await this.#first(signal);
		checked();
		const service = async (key: Key) => {
			if (++this.#looked % LOOKS_A_TURN === 0) await this.#turn();
			return this.#addresses.service(key, signal);
		};
		const left = (key: Key): void => this.#services.add(key);
		await Promise.all([
			this.#services.run(1, service, signal),
			this.#names.run(1, (name) => this.#addresses.address(name, left, signal), signal),
			this.#looks.run(1, () => this.#lookAtPorts(signal), signal),
			this.#followPorts(signal),
			...recording,
		]);
	}

	#follow(follows: DisposableStack): void {
		const { reader } = this.#deps;
		follows.use(reader.onChange(SERVICES, ({ key, before, after }) => this.#serviceChanged(key, before, after)));
		follows.use(reader.onChange(IP_ADDRESSES, ({ key, before, after }) => this.#addressChanged(key, before, after)));
		follows.use(reader.onChange(SERVICE_CIDRS, ({ before, after }) => this.#rangeChanged(before, after)));
	}

	/** What is written down of node ports: another server of the store may write there. */
	async #followPorts(signal: AbortSignal): Promise<void> {
		const { store } = this.#deps;
		while (!signal.aborted)
			try {
				for await (const { changes } of store.watch(NODE_PORTS_KEY, store.revision(), signal))
					if (changes.some(({ key }) => key === NODE_PORTS_KEY)) this.#looks.addAfter(PORTS, TOGETHER_MS);
			} catch (error) {
				// Read anew, with a gap.
				if (codeOf(error) !== 'OutOfRange') throw error;
				this.#looks.addAfter(PORTS, TOGETHER_MS);
			}
	}

	/** Everything once; what fails is for the queues, which try again. */
	async #first(signal: AbortSignal): Promise<void> {
		const { allocator, reader } = this.#deps;
		for (const service of allocator.services()) {
			const key = keyOf(service);
			this.#ports.noticed(key, service);
			if (++this.#looked % LOOKS_A_TURN === 0) await this.#turn();
			if (signal.aborted) return;
			await this.#now(key, this.#services, () => this.#addresses.service(key, signal));
		}
		for (const { metadata } of reader.list(IP_ADDRESSES).filter(isManaged)) this.#names.add(metadata.name ?? '');
		await this.#now(PORTS, this.#looks, () => this.#lookAtPorts(signal));
	}

	async #now<K extends string>(key: K, queue: WorkQueue<K>, look: () => Promise<Again | void>): Promise<void> {
		try {
			const again = await look();
			if (again !== undefined) queue.addAfter(key, again.afterMs);
		} catch (error) {
			this.#failed(key, error);
			queue.add(key);
		}
	}

	#serviceChanged(key: Key, before: Service | undefined, after: Service | undefined): void {
		this.#services.add(key);
		const kept = heldAddresses(after?.spec);
		for (const address of heldAddresses(before?.spec)) if (!kept.includes(address)) this.#names.add(address);
		if (this.#ports.noticed(key, after)) this.#looks.addAfter(PORTS, TOGETHER_MS);
	}

	/** One that is made comes with its Service, which is looked at for itself. */
	#addressChanged(name: string, before: IPAddress | undefined, after: (IPAddress & KubeObject) | undefined): void {
		if (after !== undefined && isManaged(after)) this.#names.add(name);
		if (before === undefined) return;
		for (const one of [before, after]) {
			const parent = one === undefined ? undefined : parentOf(one);
			if (parent !== undefined) this.#services.add(parent);
		}
	}

	#rangeChanged(before: ServiceCIDR | undefined, after: ServiceCIDR | undefined): void {
		if (String(before?.spec?.cidrs) === String(after?.spec?.cidrs)) return;
		for (const service of this.#deps.allocator.services()) this.#services.add(keyOf(service));
	}

	async #lookAtPorts(signal: AbortSignal) {
		try {
			return await this.#ports.look(signal);
		} catch (error) {
			if (!signal.aborted) this.#deps.allocator.metrics.repairFailed();
			throw error;
		}
	}

	#turn(): Promise<void> {
		return new Promise((resolve) => this.#deps.turns.add(resolve));
	}

	/** Who was faster may have put it right: nothing to tell. */
	#failed(key: string, error: unknown): void {
		if (codeOf(error) !== 'Aborted') this.#deps.log.warn('a service allocation was not looked at', { key, why: messageOf(error) });
	}
}
