/** Bearer tokens of WebSocket clients that cannot set headers, as browsers cannot: one of the subprotocols that they offer (upstream's authentication/request/websocket). */
import { isUtf8 } from 'node:buffer';
import { unauthorized } from '../../../api/status.ts';
import type { Authenticator, Credentials, UserInfo } from '../contracts.ts';
import type { CredentialMetrics } from '../metrics/credential-metrics.ts';
import { reviewToken, type TokenVerdict } from './bearer.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

export const BEARER_SUBPROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Without padding. */
const BASE64_URL = /^[\w-]*$/;

export class WebSocketBearerAuthenticator implements Authenticator {
	readonly #authenticators: readonly TokenAuthenticator[];
	readonly #audiences: readonly string[];
	readonly #metrics: CredentialMetrics | undefined;

	/** @param audiences those of the API server itself */
	constructor(authenticators: readonly TokenAuthenticator[], audiences: readonly string[], metrics?: CredentialMetrics) {
		this.#authenticators = authenticators;
		this.#audiences = audiences;
		this.#metrics = metrics;
	}

	async authenticate({ headers }: Credentials, signal: AbortSignal): Promise<UserInfo | undefined> {
		const token = isHandshake(headers) ? offeredToken(headers['sec-websocket-protocol'] ?? '') : '';
		if (token === '') return undefined;
		const review = (): Promise<TokenVerdict> => reviewToken(this.#authenticators, token, this.#audiences, signal);
		const verdict = await (this.#metrics?.fetched(review) ?? review());
		if (!verdict.good) throw unauthorized();
		return verdict.identity.user;
	}

	/** Such connections last: nobody waits for the few of them. */
	recall({ headers }: Credentials): 'not mine' | undefined {
		return headers['upgrade'] === undefined ? 'not mine' : undefined;
	}
}

function isHandshake(headers: Credentials['headers']): boolean {
	return headers['upgrade']?.toLowerCase() === 'websocket' && (headers['connection'] ?? '').toLowerCase().includes('upgrade');
}

/** '' where none is offered. StatusError Unauthorized for what is no offer. */
function offeredToken(header: string): string {
	const offered = header.split(',').map((protocol) => protocol.trim());
	const [carrier, second] = offered.filter((protocol) => protocol.startsWith(BEARER_SUBPROTOCOL));
	if (carrier === undefined) return '';
	const encoded = carrier.slice(BEARER_SUBPROTOCOL.length);
	const bytes = Buffer.from(encoded, 'base64url');
	if (second !== undefined || !BASE64_URL.test(encoded) || encoded.length % 4 === 1 || !isUtf8(bytes)) throw unauthorized();
	// One of the others is what the server agrees to.
	if (bytes.length > 0 && offered.length === 1) throw unauthorized();
	return bytes.toString();
}
