/** A request with the user it is made as, and the deadline it has to meet. */
import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import type { LatencyLayer } from '../audit/latency-layer.ts';
import type { ApiRequest, AuditTrail, HeaderLines, UserInfo } from '../contracts.ts';
import { isYaml, readYamlAhead } from './yaml-ahead.ts';

/** Whom a request's work tells of what it does. */
export interface Told {
	readonly trail: AuditTrail | undefined;
	readonly auditId: string;
	/** How long webhooks took, one after the other and at once. */
	mutatingMs: number;
	validatingMs: number;
	/** Of the body, once it has been read. */
	sentBytes: number | undefined;
}

export class Asked implements ApiRequest {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: Readonly<Record<string, string | undefined>>;
	readonly user: UserInfo;
	readonly upgrade?: NonNullable<ApiRequest['upgrade']>;
	readonly warn: (text: string) => void;
	readonly audit: AuditTrail | undefined;
	readonly takesEvents: boolean | undefined;
	readonly #inner: ApiRequest;
	readonly #clock: Clock;
	readonly #told: Told;
	readonly #signal: AbortSignal | undefined;

	constructor(inner: ApiRequest, user: UserInfo, clock: Clock, told: Told, signal?: AbortSignal) {
		this.method = inner.method;
		this.path = inner.path;
		this.query = inner.query;
		this.headers = inner.headers;
		this.user = user;
		this.warn = inner.warn;
		this.audit = told.trail;
		this.takesEvents = inner.takesEvents;
		if (inner.upgrade !== undefined) this.upgrade = inner.upgrade;
		this.#inner = inner;
		this.#clock = clock;
		this.#told = told;
		this.#signal = signal;
	}

	get uri(): string | undefined {
		return this.#inner.uri;
	}
	get auditId(): string {
		return this.#told.auditId;
	}
	get repeated(): HeaderLines | undefined {
		return this.#inner.repeated;
	}
	get remoteAddress(): string {
		return this.#inner.remoteAddress;
	}

	took(layer: LatencyLayer, ms: number): void {
		const told = this.#told;
		told.trail?.took(layer, ms);
		if (layer === 'mutating-webhook') told.mutatingMs += ms;
		else if (layer === 'validating-webhook') told.validatingMs = Math.max(told.validatingMs, ms);
	}

	/** Made only when asked for: most reads never look at it. */
	get signal(): AbortSignal {
		return this.#signal ?? this.#inner.signal;
	}

	stream(): Readable | undefined {
		return this.#inner.stream?.();
	}

	/** A large YAML document has been read when it is here. */
	body(limitBytes?: number): Promise<Uint8Array> {
		const body = this.#inner.body(limitBytes).then((bytes) => {
			this.#told.sentBytes = bytes.length;
			this.#signal?.throwIfAborted();
			return bytes;
		});
		return isYaml(this.headers['content-type']) ? body.then((bytes) => readYamlAhead(bytes, this.signal, this.#clock)) : body;
	}
}
