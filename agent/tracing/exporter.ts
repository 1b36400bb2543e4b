/** Hands spans to a collector by OTLP over gRPC, many at once and without TLS, as OpenTelemetry's batch processor does; what it cannot take in time is lost. */
import { withDeadline } from '../../base/abort.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { Condition } from '../../base/condition.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { TraceServiceService, type ExportTraceServiceRequest, type KeyValue, type Span } from '../../wire/gen/otlp-trace.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import type { Attributes, EndedSpan } from './span.ts';
import { createTracer, type Tracer } from './tracer.ts';

export interface TracingSettings {
	/** "localhost:4317" */
	readonly endpoint: string;
	readonly perMillion: number;
}

/** OpenTelemetry's defaults (batch span processor, OTLP exporter). */
const QUEUE = 2048;
const BATCH = 512;
const DELAY_MS = 5000;
const EXPORT_MS = 30_000;
const RETRY = { initialMs: 5000, maxMs: 30_000, factor: 1.5, jitter: 0.5 };
const TRANSIENT: ReadonlySet<string> = new Set(['Unavailable', 'Canceled', 'DeadlineExceeded', 'Aborted', 'OutOfRange', 'DataLoss']);
/** At the end of the agent. */
const LAST_MS = 1000;

export class TraceExporter {
	readonly tracer: Tracer;
	readonly #given: TracingSettings & { readonly nodeName: string; readonly clock: Clock; readonly log: Log };
	readonly #changed = new Condition();
	#waiting: EndedSpan[] = [];

	constructor(given: TracingSettings & { readonly nodeName: string; readonly clock: Clock; readonly log: Log }) {
		this.#given = given;
		this.tracer = createTracer(given.perMillion, given.clock, (span) => {
			if (this.#waiting.length >= QUEUE) return;
			this.#waiting.push(span);
			this.#changed.changed();
		});
	}

	/** Until the signal aborts; then what waits is handed over, if that takes no longer than a second. */
	async run(signal: AbortSignal): Promise<void> {
		const { clock, log, endpoint, nodeName } = this.#given;
		const client = await grpcClient(TraceServiceService, { address: endpoint, clock });
		const hand = async (parent: AbortSignal): Promise<void> => {
			const spans = this.#waiting.splice(0, BATCH);
			using deadline = withDeadline(clock, EXPORT_MS, 'handing spans to a collector', parent);
			const transient = (error: unknown): boolean => error instanceof AppError && TRANSIENT.has(error.code);
			await retrying(
				clock,
				RETRY,
				deadline.signal,
				() => client.export(requestOf(nodeName, spans), { signal: deadline.signal }),
				transient,
			).catch((error: unknown) => log.warn('spans are lost', { endpoint, spans: spans.length, reason: messageOf(error) }));
		};
		try {
			for (;;) {
				await this.#changed.until(() => this.#waiting.length > 0, signal).catch(() => {});
				if (signal.aborted) break;
				using delay = withDeadline(clock, DELAY_MS, 'waiting for more spans', signal);
				await this.#changed.until(() => this.#waiting.length >= BATCH, delay.signal).catch(() => {});
				if (!signal.aborted) await hand(signal);
			}
			if (this.#waiting.length === 0) return;
			using last = withDeadline(clock, LAST_MS, 'handing over the last spans');
			while (this.#waiting.length > 0) await hand(last.signal);
		} finally {
			client.close();
		}
	}
}

/** Pure. */
export function requestOf(nodeName: string, spans: readonly EndedSpan[]): ExportTraceServiceRequest {
	const scopes = [...new Set(spans.map(({ scope }) => scope))];
	return {
		resourceSpans: [
			{
				resource: { attributes: attributesOf({ 'service.name': 'kubelet', 'host.name': nodeName }) },
				scopeSpans: scopes.map((name) => ({ scope: { name }, spans: spans.filter(({ scope }) => scope === name).map(spanOf) })),
			},
		],
	};
}

/** Sampled, and its parent is known not to be remote. */
const FLAGS = 0x101;

/** OTLP's numbers. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;

function spanOf({
	traceId,
	spanId,
	parentSpanId,
	name,
	kind = 'internal',
	attributes = {},
	startMs,
	endMs,
	events = [],
	error,
}: EndedSpan): Span {
	const thrown =
		error?.type === undefined
			? []
			: [{ name: 'exception', atMs: endMs, attributes: { 'exception.type': error.type, 'exception.message': error.message } }];
	return {
		...{ traceId: Buffer.from(traceId), spanId: Buffer.from(spanId), parentSpanId: Buffer.from(parentSpanId ?? []) },
		...{ name, kind: KINDS[kind], flags: FLAGS, attributes: attributesOf(attributes) },
		...{ startTimeUnixNano: nanos(startMs), endTimeUnixNano: nanos(endMs) },
		events: [...events, ...thrown].map((event) => ({
			...{ timeUnixNano: nanos(event.atMs), name: event.name, attributes: attributesOf(event.attributes) },
		})),
		status: error === undefined ? { message: '', code: 0 } : { message: error.message, code: 2 },
	};
}

function attributesOf(attributes: Attributes): KeyValue[] {
	return Object.entries(attributes).map(([key, value]) => ({
		key,
		value: { value: typeof value === 'string' ? { $case: 'stringValue', value } : { $case: 'intValue', value: BigInt(value) } },
	}));
}

function nanos(ms: number): bigint {
	return BigInt(Math.round(ms * 1000)) * 1000n;
}
