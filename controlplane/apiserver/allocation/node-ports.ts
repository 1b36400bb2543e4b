/**
 * Node ports of Services. What is taken is what the store says: one RangeAllocation, written in the commit that writes the Service, so that neither can
 * drift, however many servers share the store.
 */
import type { RangeAllocation, Service, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Encoded, Store, Write } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import type { Parsed } from '../answer/parsed.ts';
import type { AllocatorMetrics } from '../metrics/allocator-metrics.ts';
import { PortBitmap } from './port-bitmap.ts';
import { choosePorts, heldPorts, usesPorts, type PortSource } from './port-choice.ts';

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
		const checked = spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
		if (checked && (spec.healthCheckNodePort ?? 0) === 0 && (before?.healthCheckNodePort ?? 0) !== 0)
			spec.healthCheckNodePort = before?.healthCheckNodePort;
		if (!usesPorts(spec) && !usesPorts(before)) return [];
		return this.#portWrites((bitmap) => choosePorts(service, before, this.#source(bitmap)));
	}

	release(spec: ServiceSpec | undefined): readonly Write[] {
		const ports = heldPorts(spec);
		return ports.length === 0 ? [] : this.#portWrites((bitmap) => ports.forEach((port) => bitmap.release(port)));
	}

	#source(bitmap: PortBitmap): PortSource {
		return {
			take: (port) => {
				const why = this.#refusal(bitmap, port);
				if (why === undefined) bitmap.take(port);
				return why;
			},
			any: () => {
				const free = this.#free(bitmap);
				if (free !== undefined) bitmap.take(free);
				return free;
			},
			release: (port) => bitmap.release(port),
		};
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
