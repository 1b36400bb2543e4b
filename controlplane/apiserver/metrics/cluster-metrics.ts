/** What objects of the cluster say about the server's own work, under upstream's names: aggregated APIs, addresses and ports of Services, deprecated versions asked for. */
import type { APIService } from '../../../api/gen/types.ts';
import { API_SERVICES, IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';
import { isAvailable } from '../aggregation/availability.ts';
import { IpRange } from '../allocation/ip-range.ts';
import type { ObjectReader } from '../contracts.ts';
import type { Kind } from '../registry/kinds.ts';

/** Numbers of addresses beyond this are not told apart: an IPv6 range has more than a number can hold. */
const MOST = Number.MAX_SAFE_INTEGER;

export function aggregationMetrics(registry: Registry, reader: ObjectReader): Disposable {
	const registers = [registry];
	new Gauge<'name'>({
		...{ name: 'aggregator_unavailable_apiservice', labelNames: ['name'], registers },
		help: 'Gauge of APIServices which are marked as unavailable broken down by APIService name.',
		collect() {
			this.reset();
			for (const service of reader.list(API_SERVICES)) this.set({ name: service.metadata.name ?? '' }, isAvailable(service) ? 0 : 1);
		},
	});
	const unavailable = new Counter<'name' | 'reason'>({
		...{ name: 'aggregator_unavailable_apiservice_total', labelNames: ['name', 'reason'], registers },
		help: 'Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
	});
	return reader.onChange(API_SERVICES, ({ before, after }) => {
		if (after === undefined || reasonOf(after) === undefined || (before !== undefined && reasonOf(before) !== undefined)) return;
		unavailable.inc({ name: after.metadata.name ?? '', reason: reasonOf(after) ?? '' });
	});
}

/** Why it is not available; undefined where it is, or nobody has looked yet. */
function reasonOf({ status }: APIService): string | undefined {
	const found = (status?.conditions ?? []).find(({ type }) => type === 'Available');
	return found === undefined || found.status === 'True' ? undefined : (found.reason ?? '');
}

/** @param nodePorts the first and the last */
export function allocationMetrics(registry: Registry, reader: ObjectReader, nodePorts: readonly [number, number]): void {
	const registers = [registry];
	const ranges = function* (): Generator<{ readonly cidr: string; readonly allocated: number; readonly available: number }> {
		const addresses = reader.list(IP_ADDRESSES).map(({ metadata }) => metadata.name ?? '');
		for (const cidr of new Set(reader.list(SERVICE_CIDRS).flatMap(({ spec }) => spec?.cidrs ?? []))) {
			const range = new IpRange(cidr);
			const allocated = addresses.filter((address) => range.contains(address)).length;
			const size = range.size > BigInt(MOST) ? MOST : Number(range.size);
			yield { cidr, allocated, available: size - allocated };
		}
	};
	new Gauge<'cidr'>({
		...{ name: 'kube_apiserver_clusterip_allocator_allocated_ips', labelNames: ['cidr'], registers },
		help: 'Gauge measuring the number of allocated IPs for Services',
		collect() {
			this.reset();
			for (const { cidr, allocated } of ranges()) this.set({ cidr }, allocated);
		},
	});
	new Gauge<'cidr'>({
		...{ name: 'kube_apiserver_clusterip_allocator_available_ips', labelNames: ['cidr'], registers },
		help: 'Gauge measuring the number of available IPs for Services',
		collect() {
			this.reset();
			for (const { cidr, available } of ranges()) this.set({ cidr }, available);
		},
	});
	const ports = (): number => {
		const of = reader
			.list(SERVICES)
			.flatMap(({ spec }) => [...(spec?.ports ?? []).map(({ nodePort }) => nodePort), spec?.healthCheckNodePort]);
		return new Set(of.filter((port) => (port ?? 0) > 0)).size;
	};
	const [first, last] = nodePorts;
	new Gauge({
		...{ name: 'kube_apiserver_nodeport_allocator_allocated_ports', registers },
		help: 'Gauge measuring the number of allocated NodePorts for Services',
		collect() {
			this.set(ports());
		},
	});
	new Gauge({
		...{ name: 'kube_apiserver_nodeport_allocator_available_ports', registers },
		help: 'Gauge measuring the number of available NodePorts for Services',
		collect() {
			this.set(last - first + 1 - ports());
		},
	});
}

/** Told of each request for a version that goes away. */
export function deprecationMetrics(registry: Registry): (kind: Kind, subresource: string) => void {
	const asked = new Gauge<'group' | 'version' | 'resource' | 'subresource' | 'removed_release'>({
		name: 'apiserver_requested_deprecated_apis',
		help: 'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
		labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
		registers: [registry],
	});
	return ({ resource: { group, version, plural } }, subresource) =>
		asked.set({ group, version, resource: plural, subresource, removed_release: '' }, 1);
}

/** To be called when documents of discovery are put together. */
export function discoveryMetrics(registry: Registry): () => void {
	const count = new Counter({
		name: 'aggregator_discovery_aggregation_count_total',
		help: 'Counter of number of times discovery was aggregated',
		registers: [registry],
	});
	return () => count.inc();
}
