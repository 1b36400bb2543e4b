/** Who calls the kubelet API: a client certificate of the cluster's CA, or a token that the API server vouches for. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { TokenReview } from '../../api/gen/types.ts';
import { TOKEN_REVIEWS } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import type { ClientCas } from './client-cas.ts';

export interface Caller {
	readonly name: string;
	readonly uid: string;
	readonly groups: readonly string[];
	/** What else the API server knows of who showed a token. */
	readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Of a KubeletConfiguration's `authentication`. */
interface How {
	readonly tokens: boolean;
	readonly tokenMs: number;
	readonly anonymous: boolean;
}

const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS: Caller = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'] };

export class Callers {
	readonly #client: Client;
	readonly #clock: Clock;
	readonly #cas: ClientCas;
	readonly #how: How;
	readonly #cache = new Map<string, { readonly caller: Caller | undefined; readonly until: number }>();

	constructor(client: Client, clock: Clock, cas: ClientCas, how: How) {
		this.#client = client;
		this.#clock = clock;
		this.#cas = cas;
		this.#how = how;
	}

	/** Undefined for somebody unknown. */
	async identify(request: IncomingMessage, signal: AbortSignal): Promise<Caller | undefined> {
		const socket = request.socket as TLSSocket;
		if (this.#cas.knows(socket)) {
			const subject = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] } | undefined;
			if (subject?.CN) return { name: subject.CN, uid: '', groups: [...[subject.O ?? []].flat(), AUTHENTICATED] };
		}
		const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
		if (token !== undefined && this.#how.tokens) return this.#review(token, signal);
		return this.#how.anonymous && token === undefined ? ANONYMOUS : undefined;
	}

	async #review(token: string, signal: AbortSignal): Promise<Caller | undefined> {
		const key = createHash('sha256').update(token).digest('base64');
		const now = this.#clock.now();
		const held = this.#cache.get(key);
		if (held !== undefined && held.until > now) return held.caller;
		const review = await this.#client.create<TokenReview>(TOKEN_REVIEWS, { metadata: {}, spec: { token } }, { signal });
		const { authenticated = false, user } = review.status ?? {};
		const { username: name = '', uid = '', groups = [], extra } = user ?? {};
		const caller = authenticated ? { name, uid, groups, ...(extra === undefined ? {} : { extra }) } : undefined;
		for (const [k, entry] of this.#cache) if (entry.until <= now) this.#cache.delete(k);
		this.#cache.set(key, { caller, until: now + this.#how.tokenMs });
		return caller;
	}
}
