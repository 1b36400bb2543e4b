/** One span, from its start to its end: whose child it is, what it says, and how others are told of it. */
import type { Clock } from '../../base/clock.ts';

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
	readonly scope: string;
	readonly name: string;
	/** Unless told `internal`. */
	readonly kind?: 'internal' | 'server' | 'client';
	readonly attributes?: Attributes;
}

export interface SpanContext {
	readonly traceId: Uint8Array;
	readonly spanId: Uint8Array;
	readonly sampled: boolean;
}

export interface SpanEvent {
	readonly name: string;
	readonly atMs: number;
	readonly attributes: Attributes;
}

/** `type`: of what was thrown, which is an event, too. */
export interface SpanError {
	readonly type?: string;
	readonly message: string;
}

export interface EndedSpan extends SpanStart {
	readonly traceId: Uint8Array;
	readonly spanId: Uint8Array;
	/** Absent: it is the first of its trace. */
	readonly parentSpanId?: Uint8Array;
	readonly startMs: number;
	readonly endMs: number;
	readonly events?: readonly SpanEvent[];
	readonly error?: SpanError;
}

interface Given {
	readonly start: SpanStart;
	readonly context: SpanContext;
	readonly parentSpanId: Uint8Array | undefined;
	readonly clock: Clock;
	readonly ended: (span: EndedSpan) => void;
}

/** OpenTelemetry's limit of a span's events. */
const EVENTS = 128;

export class OpenSpan {
	readonly #given: Given;
	readonly #startMs: number;
	readonly #from: number;
	readonly #events: SpanEvent[] = [];
	#attributes: Attributes;
	#error: SpanError | undefined;
	#isOver = false;

	constructor(given: Given) {
		this.#given = given;
		this.#attributes = given.start.attributes ?? {};
		this.#startMs = given.clock.now();
		this.#from = given.clock.monotonic();
	}

	get context(): SpanContext {
		return this.#given.context;
	}

	/** For who is called (W3C Trace Context), sampled or not. */
	get traceparent(): string {
		const { traceId, spanId, sampled } = this.context;
		return `00-${Buffer.from(traceId).toString('hex')}-${Buffer.from(spanId).toString('hex')}-0${sampled ? 1 : 0}`;
	}

	set(attributes: Attributes): void {
		if (this.context.sampled) this.#attributes = { ...this.#attributes, ...attributes };
	}

	/** The latest stay, as many as OpenTelemetry keeps. */
	event(name: string, attributes: Attributes): void {
		if (!this.context.sampled || this.#isOver) return;
		if (this.#events.length >= EVENTS) this.#events.shift();
		this.#events.push({ name, atMs: this.#nowMs(), attributes });
	}

	fail(error: SpanError): void {
		this.#error = error;
	}

	/** Once; again is nothing. */
	end(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		const { start, context, parentSpanId, ended } = this.#given;
		if (!context.sampled) return;
		const { traceId, spanId } = context;
		ended({
			...start,
			attributes: this.#attributes,
			...{ traceId, spanId, startMs: this.#startMs, endMs: this.#nowMs(), events: this.#events },
			...(parentSpanId === undefined ? {} : { parentSpanId }),
			...(this.#error === undefined ? {} : { error: this.#error }),
		});
	}

	#nowMs(): number {
		return this.#startMs + this.#given.clock.monotonic() - this.#from;
	}
}
