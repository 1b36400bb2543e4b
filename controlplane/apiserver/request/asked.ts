/** A request with the user it is made as, and the deadline it has to meet. */
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, AuditTrail, HeaderLines, UserInfo } from '../contracts.ts';
import { isYaml, readYamlAhead } from './yaml-ahead.ts';

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
	readonly #signal: AbortSignal | undefined;

	constructor(inner: ApiRequest, user: UserInfo, clock: Clock, audit?: AuditTrail, signal?: AbortSignal) {
		this.method = inner.method;
		this.path = inner.path;
		this.query = inner.query;
		this.headers = inner.headers;
		this.user = user;
		this.warn = inner.warn;
		this.audit = audit;
		this.takesEvents = inner.takesEvents;
		if (inner.upgrade !== undefined) this.upgrade = inner.upgrade;
		this.#inner = inner;
		this.#clock = clock;
		this.#signal = signal;
	}

	get uri(): string | undefined {
		return this.#inner.uri;
	}
	get repeated(): HeaderLines | undefined {
		return this.#inner.repeated;
	}
	get remoteAddress(): string {
		return this.#inner.remoteAddress;
	}

	/** Made only when asked for: most reads never look at it. */
	get signal(): AbortSignal {
		return this.#signal ?? this.#inner.signal;
	}

	/** A large YAML document has been read when it is here. */
	body(limitBytes?: number): Promise<Uint8Array> {
		const body = this.#inner.body(limitBytes);
		return isYaml(this.headers['content-type']) ? body.then((bytes) => readYamlAhead(bytes, this.signal, this.#clock)) : body;
	}
}
