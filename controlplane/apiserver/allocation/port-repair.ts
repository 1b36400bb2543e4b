/** Puts right what is written down of node ports, and tells of what Services have wrongly: acts on what port-findings.ts finds. */
import type { Service } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Again } from '../../../client/workqueue.ts';
import type { Store } from '../../storage/store.ts';
import type { ObjectReader } from '../contracts.ts';
import type { AllocatorMetrics } from '../metrics/allocator-metrics.ts';
import { NODE_PORTS_KEY, portsValue, type NodePorts } from './node-ports.ts';
import { heldPorts } from './port-choice.ts';
import { PortBitmap } from './port-bitmap.ts';
import { examinePorts, type PortFinding } from './port-findings.ts';
import { REPAIR_INTERVAL_MS } from './repair-interval.ts';

export interface PortRepairDeps {
	readonly ports: Pick<NodePorts, 'written'>;
	/** The first and the last one. */
	readonly range: readonly [number, number];
	readonly reader: Pick<ObjectReader, 'get'>;
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly recorder: EventRecorder;
	readonly metrics: AllocatorMetrics;
}

/** The component of its Events. */
export const PORT_REPAIR = 'portallocator-repair-controller';
/** Upstream frees a port that is no Service's when it has seen it three times: another server may have taken it for one that is on its way. */
const LEAK_MS = 2 * REPAIR_INTERVAL_MS;

export class PortRepair {
	readonly #deps: PortRepairDeps;
	/** Services with node ports: the others need no look. */
	readonly #services = new Set<Key>();
	/** When each port was first seen that is no Service's, and when each finding was last told. */
	readonly #unheldSince = new Map<number, number>();
	readonly #toldAt = new Map<string, number>();
	/** When it was last written down anew. */
	#writtenAt = -Infinity;

	constructor(deps: PortRepairDeps) {
		this.#deps = deps;
	}

	/** To be told of all Services, and of their changes. True where one has node ports, or had. */
	noticed(key: Key, service: Service | undefined): boolean {
		const has = heldPorts(service?.spec).length > 0;
		const had = this.#services.has(key);
		if (has) this.#services.add(key);
		else this.#services.delete(key);
		return has || had;
	}

	/** Looked at again while anything is wrong. AppError Aborted where somebody else was faster. */
	async look(signal: AbortSignal): Promise<Again | void> {
		const { ports, range, reader, store, clock, log } = this.#deps;
		const entry = store.get(NODE_PORTS_KEY);
		const written = ports.written();
		// As they are now: what has been noticed may be older than what is written down.
		const services = [...this.#services].map((key) => reader.get(SERVICES, key)).filter((service) => service !== undefined);
		const { findings, held, unheld } = examinePorts(services, written ?? new PortBitmap(range), range);
		for (const finding of findings) this.#tell(finding);
		this.#forget(findings);
		this.#keepUnheld(held, unheld);
		if (written === undefined || written.range !== held.range || written.data !== held.data) {
			const waitMs = this.#writtenAt + REPAIR_INTERVAL_MS - clock.monotonic();
			// A server that was told of another range writes its own: that costs one write each in an interval.
			if (written !== undefined && written.range !== held.range && waitMs > 0) return { afterMs: waitMs };
			this.#writtenAt = clock.monotonic();
			await store.commit([{ key: NODE_PORTS_KEY, expect: entry?.revision ?? 'absent', value: portsValue(held, clock.now()) }], signal);
			log.info('what is written down of node ports was put right', { range: held.range });
		}
		const isWrong = this.#unheldSince.size > 0 || findings.some(({ type }) => type !== 'repair');
		return isWrong ? { afterMs: REPAIR_INTERVAL_MS } : undefined;
	}

	/** Once at each interval while it stands. */
	#tell({ service, port, type, reason, message }: PortFinding): void {
		const { clock, log, metrics, recorder } = this.#deps;
		const id = `${keyOf(service)} ${port} ${type}`;
		const now = clock.monotonic();
		if (now - (this.#toldAt.get(id) ?? -Infinity) < REPAIR_INTERVAL_MS) return;
		this.#toldAt.set(id, now);
		metrics.portWrong(type);
		recorder.event(referenceTo(SERVICES, service), 'Warning', reason, message);
		log.warn('a node port of a Service is wrong', { service: keyOf(service), port, type });
	}

	/** What is no more is told at once when it comes again. */
	#forget(findings: readonly PortFinding[]): void {
		const current = new Set(findings.map(({ service, port, type }) => `${keyOf(service)} ${port} ${type}`));
		for (const id of this.#toldAt.keys()) if (!current.has(id)) this.#toldAt.delete(id);
	}

	/** Ports that are no Service's stay taken for a while. */
	#keepUnheld(held: PortBitmap, unheld: readonly number[]): void {
		const { clock, log, metrics } = this.#deps;
		const now = clock.monotonic();
		for (const port of this.#unheldSince.keys()) if (!unheld.includes(port)) this.#unheldSince.delete(port);
		for (const port of unheld) {
			const since = this.#unheldSince.get(port) ?? now;
			if (now - since < LEAK_MS) {
				this.#unheldSince.set(port, since);
				held.take(port);
				continue;
			}
			this.#unheldSince.delete(port);
			metrics.portWrong('leak');
			log.warn("a node port was freed that is no Service's", { port });
		}
	}
}
