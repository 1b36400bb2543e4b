/** Tokens with which new nodes join: secrets of kube-system, good for a while and for little (upstream's authenticator/token/bootstrap). */
import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../../api/gen/types.ts';
import { SECRETS } from '../../../api/resources.ts';
import { readTime } from '../../../api/time-parse.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ObjectReader, UserInfo } from '../contracts.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TYPE = 'bootstrap.kubernetes.io/token';
const GROUP = 'system:bootstrappers';
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export class BootstrapTokens implements TokenAuthenticator {
	readonly #objects: ObjectReader;
	readonly #clock: Clock;

	constructor(objects: ObjectReader, clock: Clock) {
		this.#objects = objects;
		this.#clock = clock;
	}

	authenticateToken(token: string, audiences: readonly string[]): Promise<TokenIdentity | undefined> {
		return Promise.resolve(this.recallToken(token, audiences));
	}

	/** All it needs is in memory. A secret that is not whole makes its token one of nobody. */
	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		const [, id = '', secret = ''] = TOKEN.exec(token) ?? [];
		if (id === '') return undefined;
		const stored = this.#objects.get(SECRETS, `kube-system/bootstrap-token-${id}`);
		const user = stored === undefined ? undefined : userOf(stored, id, secret, this.#clock.now());
		return user === undefined ? undefined : { user, audiences };
	}
}

/** Pure. */
export function userOf({ metadata, type, data = {} }: Secret, id: string, secret: string, now: number): UserInfo | undefined {
	const value = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
	if (type !== TYPE || metadata.deletionTimestamp !== undefined) return undefined;
	if (!isSame(value('token-secret'), secret) || value('token-id') !== id) return undefined;
	const expiration = value('expiration');
	// What is no time is a mistake of somebody who wanted the token to end.
	if (expiration !== '' && !(endOf(expiration) > now)) return undefined;
	if (value('usage-bootstrap-authentication') !== 'true') return undefined;
	const more = value('auth-extra-groups');
	const extra = more === '' ? [] : more.split(',');
	if (!extra.every((group) => EXTRA_GROUP.test(group))) return undefined;
	return { name: `system:bootstrap:${id}`, uid: '', groups: [...new Set([GROUP, ...extra])].toSorted(), extra: {} };
}

/** ms since the epoch; what is no time is over. */
function endOf(expiration: string): number {
	try {
		return readTime(expiration).ms;
	} catch {
		return Number.NEGATIVE_INFINITY;
	}
}

function isSame(a: string, b: string): boolean {
	return a.length === b.length && a !== '' && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
