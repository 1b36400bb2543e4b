/** Cluster IPs and node ports of Services: what is taken is what stored Services say, so nothing can drift; leases cover writes under way. */
import type { Service } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { invalid } from '../../../api/status.ts';
import type { Store } from '../../storage/store.ts';
import type { Parsed } from '../answer/canonical.ts';
import type { Allocator } from './context.ts';
import { Ipv4Range } from './ipv4-range.ts';
import type { Kind, Kinds } from './kinds.ts';

type Taken = Set<string>;

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };

export class ServiceAllocator implements Allocator {
	readonly #range: Ipv4Range;
	readonly #ports: readonly [number, number];
	readonly #load: () => Iterable<Service>;
	#addresses: Taken | undefined;
	#nodePorts: Taken = new Set();
	#nextPort = 0;

	constructor(kinds: Kinds, store: Store, parsed: Parsed, cidr: string, ports: readonly [number, number]) {
		this.#range = new Ipv4Range(cidr);
		this.#ports = ports;
		this.#load = () => {
			const prefix = (kinds.byPath('', 'v1', 'services') as Kind).prefix;
			return store.list(prefix, {}).entries.map((entry) => parsed.of<KubeObject>(entry) as Service);
		};
	}

	prepare(kind: Kind, object: KubeObject, old: KubeObject | undefined): Disposable {
		if (kind.resource.kind !== 'Service' || kind.resource.group !== '') return NOTHING;
		const taken = this.#taken();
		const service = object as Service;
		const before = old === undefined ? { addresses: [], ports: [] } : heldBy(old as Service);
		const mine: { readonly addresses: string[]; readonly ports: string[] } = { addresses: [], ports: [] };
		const giveBack = (): void => {
			for (const a of mine.addresses) taken.delete(a);
			for (const p of mine.ports) this.#nodePorts.delete(p);
		};
		try {
			this.#address(service, before.addresses, mine.addresses);
			this.#portsOf(service, before.ports, mine.ports);
		} catch (error) {
			giveBack();
			throw error;
		}
		let kept = false;
		const lease = {
			keep: (): void => {
				kept = true;
				const now = heldBy(service);
				for (const a of before.addresses) if (!now.addresses.includes(a)) taken.delete(a);
				for (const p of before.ports) if (!now.ports.includes(p)) this.#nodePorts.delete(p);
			},
			[Symbol.dispose]: (): void => {
				if (!kept) giveBack();
			},
		};
		return lease;
	}

	released(kind: Kind, object: KubeObject): void {
		if (kind.resource.kind !== 'Service' || kind.resource.group !== '') return;
		const taken = this.#taken();
		const { addresses, ports } = heldBy(object as Service);
		for (const a of addresses) taken.delete(a);
		for (const p of ports) this.#nodePorts.delete(p);
	}

	#taken(): Taken {
		if (this.#addresses !== undefined) return this.#addresses;
		const taken: Taken = new Set();
		for (const service of this.#load()) {
			const { addresses, ports } = heldBy(service);
			for (const a of addresses) taken.add(a);
			for (const p of ports) this.#nodePorts.add(p);
		}
		this.#addresses = taken;
		return taken;
	}

	#address(service: Service, before: readonly string[], mine: string[]): void {
		const { spec } = service;
		if (spec === undefined) return;
		if (spec.type === 'ExternalName') {
			if (before.includes(spec.clusterIP ?? '')) {
				delete spec.clusterIP;
				delete spec.clusterIPs;
			}
			return;
		}
		spec.ipFamilies ??= ['IPv4'];
		spec.ipFamilyPolicy ??= 'SingleStack';
		const asked = spec.clusterIP !== undefined && spec.clusterIP !== '' ? spec.clusterIP : spec.clusterIPs?.[0];
		if (asked === 'None') {
			spec.clusterIP = 'None';
			spec.clusterIPs = ['None'];
			return;
		}
		const taken = this.#taken();
		let address = asked;
		if (address === undefined || address === '') {
			address = this.#range.next(taken);
			if (address === undefined) throw refused(service, 'spec.clusterIPs', asked ?? [], 'failed to allocate IP 0: range is full');
			taken.add(address);
			mine.push(address);
		} else if (!before.includes(address)) {
			const why = !this.#range.contains(address)
				? `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${this.#range.cidr}`
				: taken.has(address)
					? `failed to allocate IP ${address}: provided IP is already allocated`
					: undefined;
			if (why !== undefined) throw refused(service, 'spec.clusterIPs', [address], why);
			taken.add(address);
			mine.push(address);
		}
		spec.clusterIP = address;
		spec.clusterIPs = [address];
	}

	#portsOf(service: Service, before: readonly string[], mine: string[]): void {
		const { spec } = service;
		const wants = spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
		for (const [i, port] of (spec?.ports ?? []).entries()) {
			const protocol = port.protocol ?? 'TCP';
			const asked = port.nodePort ?? 0;
			if (asked !== 0) {
				const key = `${asked}/${protocol}`;
				if (before.includes(key) || mine.includes(key)) continue;
				if (asked < this.#ports[0] || asked > this.#ports[1])
					throw refused(
						service,
						`spec.ports[${i}].nodePort`,
						asked,
						`provided port is not in the valid range. The range of valid ports is ${this.#ports[0]}-${this.#ports[1]}`,
					);
				if (this.#nodePorts.has(key)) throw refused(service, `spec.ports[${i}].nodePort`, asked, 'provided port is already allocated');
				this.#nodePorts.add(key);
				mine.push(key);
			} else if (wants) {
				port.nodePort = this.#freePort(protocol);
				this.#nodePorts.add(`${port.nodePort}/${protocol}`);
				mine.push(`${port.nodePort}/${protocol}`);
			}
		}
	}

	/** The upper part of the range first, as upstream keeps the lower for those who choose by themselves. */
	#freePort(protocol: string): number {
		const [first, last] = this.#ports;
		const size = last - first + 1;
		const reserved = size > 256 ? 86 : 0;
		for (let i = 0; i < size; i++) {
			const port = first + ((reserved + this.#nextPort + i) % size);
			if (this.#nodePorts.has(`${port}/${protocol}`)) continue;
			this.#nextPort = (port - first - reserved + 1 + size) % size;
			return port;
		}
		throw new RangeError('No node port is free');
	}
}

function heldBy({ spec }: Service): { readonly addresses: readonly string[]; readonly ports: readonly string[] } {
	return {
		addresses: (spec?.clusterIPs ?? (spec?.clusterIP === undefined ? [] : [spec.clusterIP])).filter((ip) => ip !== '' && ip !== 'None'),
		ports: (spec?.ports ?? []).filter((p) => (p.nodePort ?? 0) !== 0).map((p) => `${p.nodePort}/${p.protocol ?? 'TCP'}`),
	};
}

function refused(service: Service, field: string, value: unknown, why: string): Error {
	const shown = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value);
	return invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
		{ reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${why}`, field },
	]);
}
