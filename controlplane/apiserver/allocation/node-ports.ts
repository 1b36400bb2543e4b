/**
 * Node ports of Services. What is taken is what the store says: one RangeAllocation, written in the commit that writes the Service, so that neither can
 * drift, however many servers share the store.
 */
import { invalidValue } from '../../../api/field-error.ts';
import type { RangeAllocation, Service, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { internalError } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Encoded, Store, Write } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import type { Parsed } from '../answer/parsed.ts';
import type { AllocatorMetrics } from '../metrics/allocator-metrics.ts';
import { PortBitmap } from './port-bitmap.ts';
import { refused } from './refused.ts';

export const NODE_PORTS_KEY = '/core/ranges/servicenodeports';

export interface NodePortsDeps {
	readonly store: Store;
	readonly parsed: Parsed;
	readonly clock: Clock;
	readonly metrics: AllocatorMetrics;
	/** The first and the last one. */
	readonly nodePorts: readonly [number, number];
	/** All that there are. */
	readonly services: () => readonly Service[];
}

export class NodePorts {
	readonly #deps: NodePortsDeps;

	constructor(deps: NodePortsDeps) {
		this.#deps = deps;
	}

	/** Takes what the service asks for and wants, and gives back what it has no more; fills in the numbers. */
	prepare(service: Service & KubeObject, before: ServiceSpec | undefined): readonly Write[] {
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

	release(spec: ServiceSpec | undefined): readonly Write[] {
		const ports = heldPorts(spec);
		return ports.length === 0 ? [] : this.#portWrites((bitmap) => ports.forEach((port) => bitmap.release(port)));
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
			const free = this.#free(bitmap);
			if (free === undefined) throw internalError('failed to allocate a nodePort: range is full');
			port.nodePort = free;
		} else if (!had.has(asked)) {
			const shared = [...mine].some((m) => m.startsWith(`${asked}/`)) && !mine.has(`${asked}/${protocol}`);
			const why = shared ? undefined : this.#refusal(bitmap, asked);
			if (why !== undefined) throw refused(service, [invalidValue(field, asked, why)]);
		}
		bitmap.take(port.nodePort as number);
		mine.add(`${port.nodePort}/${protocol}`);
	}

	#healthCheckPort(spec: ServiceSpec, bitmap: PortBitmap, had: ReadonlySet<number>): void {
		const asked = spec.healthCheckNodePort ?? 0;
		if (asked === 0) {
			const free = this.#free(bitmap);
			if (free === undefined) throw internalError('failed to allocate a HealthCheck NodePort : range is full');
			spec.healthCheckNodePort = free;
		} else if (!had.has(asked)) {
			const why = this.#refusal(bitmap, asked);
			if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
		}
		bitmap.take(spec.healthCheckNodePort as number);
	}

	#free(bitmap: PortBitmap): number | undefined {
		const { clock, metrics } = this.#deps;
		const free = bitmap.free(clock.random());
		if (free === undefined) metrics.portRefused('dynamic');
		else metrics.port('dynamic');
		return free;
	}

	/** Why a port that was asked for cannot be had. */
	#refusal(bitmap: PortBitmap, port: number): string | undefined {
		const outside = `provided port is not in the valid range. The range of valid ports is ${bitmap.range}`;
		const taken = bitmap.has(port) ? 'provided port is already allocated' : undefined;
		const why = bitmap.contains(port) ? taken : outside;
		if (why === undefined) this.#deps.metrics.port('static');
		else this.#deps.metrics.portRefused('static');
		return why;
	}

	/** The change of the node ports' RangeAllocation; one that changes nothing is none. */
	#portWrites(change: (bitmap: PortBitmap) => void): Write[] {
		const entry = this.#deps.store.get(NODE_PORTS_KEY);
		const bitmap = this.taken();
		const before = bitmap.data;
		change(bitmap);
		if (entry !== undefined && bitmap.data === before) return [];
		return [{ key: NODE_PORTS_KEY, expect: entry?.revision ?? 'absent', value: portsValue(bitmap, this.#deps.clock.now()) }];
	}

	/** What is taken now; from the Services themselves where nobody has written it down yet, or of another range. */
	taken(): PortBitmap {
		const { nodePorts, services } = this.#deps;
		const none = new PortBitmap(nodePorts);
		const written = this.written();
		if (written?.range === none.range) return written;
		return new PortBitmap(
			nodePorts,
			services().flatMap(({ spec }) => heldPorts(spec)),
		);
	}

	/** What is written down, of whatever range. */
	written(): PortBitmap | undefined {
		const { store, parsed } = this.#deps;
		const entry = store.get(NODE_PORTS_KEY);
		if (entry === undefined) return undefined;
		const { range, data = '' } = parsed.of<RangeAllocation & KubeObject>(entry);
		const [first = 0, last = 0] = range.split('-').map(Number);
		return PortBitmap.read([first, last], data);
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

export function heldPorts(spec: ServiceSpec | undefined): readonly number[] {
	const ports = (spec?.ports ?? []).map((p) => p.nodePort ?? 0);
	return [...ports, spec?.healthCheckNodePort ?? 0].filter((port) => port !== 0);
}
