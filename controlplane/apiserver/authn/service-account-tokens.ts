/** Service-account tokens: signed for TokenRequest, and believed as long as the objects they are bound to exist. */
import { decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import type { ServiceAccount } from '../../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { ObjectReader, UserInfo } from '../contracts.ts';
import { secretRemarks, staleRemarks } from './credential-remarks.ts';
import type { LegacyTokens } from './legacy-tokens.ts';
import type { ServiceAccountMetrics } from '../metrics/service-account-metrics.ts';
import { serviceAccountName, userOf, type Claims, type KubernetesClaim } from './service-account-claims.ts';
import type { ServiceAccountKeys } from './service-account-keys.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';

interface Deps {
	readonly keys: ServiceAccountKeys;
	/** The first one signs; tokens of all are believed. */
	readonly issuers: readonly [string, ...string[]];
	/** The API server's own: what tokens of secrets are meant for. */
	readonly audiences: readonly string[];
	readonly objects: ObjectReader;
	readonly clock: Clock;
	readonly metrics?: ServiceAccountMetrics | undefined;
	/** Told of each use of a secret's token. */
	readonly legacy?: LegacyTokens | undefined;
}

/** A token whose signature was good, and the one user object it stands for. */
interface Verified {
	readonly claims: Claims;
	readonly user: UserInfo;
	/** Of its audiences those that were asked for last, and who asked: the server's own are the same list each time. */
	audiences?: { readonly asked: readonly string[]; readonly shared: readonly string[] };
}

/** Issuer of tokens kept in secrets (upstream's LegacyIssuer). */
const LEGACY_ISSUER = 'kubernetes/serviceaccount';
/** Verified signatures kept; a signature costs 0.2 ms, a look-up nothing. */
const CACHED = 4096;
/** How far clocks may be apart (go-jose's DefaultLeeway): so long tokens outlive their end and the objects they are bound to. */
const LEEWAY_MS = 60_000;

export class ServiceAccountTokens implements TokenAuthenticator {
	readonly #deps: Deps;
	readonly #verified = new Map<string, Verified>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Whole seconds since the epoch, as claims count. */
	nowSeconds(): number {
		return Math.floor(this.#deps.clock.now() / 1000);
	}

	/** Signs a token; `lifeSeconds` from now. */
	async sign(
		bound: KubernetesClaim,
		audiences: readonly string[],
		lifeSeconds: number,
	): Promise<{ readonly token: string; readonly expires: number; readonly id: string }> {
		const { keys, clock, issuers } = this.#deps;
		const now = this.nowSeconds();
		const exp = now + lifeSeconds;
		const claims: Claims = {
			aud: audiences,
			exp,
			iat: now,
			iss: issuers[0],
			jti: clock.uuid(),
			'kubernetes.io': bound,
			nbf: now,
			sub: serviceAccountName(bound.namespace, bound.serviceaccount.name),
		};
		return { token: await keys.sign({ ...claims }), expires: exp * 1000, id: claims.jti };
	}

	async authenticateToken(token: string, audiences: readonly string[]): Promise<TokenIdentity | undefined> {
		const verified = this.#verified.get(token) ?? (await this.#verify(token));
		return verified === undefined ? undefined : this.#stillGood(verified, token, audiences);
	}

	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		const verified = this.#verified.get(token);
		try {
			return verified === undefined ? undefined : this.#stillGood(verified, token, audiences);
		} catch {
			return undefined; // authenticateToken says why
		}
	}

	#stillGood(verified: Verified, token: string, audiences: readonly string[]): TokenIdentity {
		const { claims, user } = verified;
		const now = this.#deps.clock.now() / 1000;
		if (now - LEEWAY_MS / 1000 > claims.exp) throw bad('service account token has expired');
		if (now + LEEWAY_MS / 1000 < claims.nbf) throw bad('service account token is not valid yet');
		if (verified.audiences?.asked !== audiences)
			verified.audiences = { asked: audiences, shared: claims.aud.filter((a) => audiences.includes(a)) };
		const { shared } = verified.audiences;
		if (audiences.length > 0 && shared.length === 0)
			throw bad(`token audiences ${quoted(claims.aud)} is invalid for the target audiences ${quoted(audiences)}`);
		this.#checkBound(claims['kubernetes.io'], token);
		const { warnafter } = claims['kubernetes.io'];
		if (warnafter !== undefined) this.#deps.metrics?.used(now > warnafter ? 'stale' : 'valid');
		return { user, audiences: shared };
	}

	async #verify(token: string): Promise<Verified | undefined> {
		const { keys, issuers, audiences, clock } = this.#deps;
		let issuer: string | undefined;
		let header: { kid?: string; alg?: string };
		try {
			issuer = decodeJwt(token).iss;
			header = decodeProtectedHeader(token);
		} catch {
			return undefined;
		}
		if (issuer === undefined || ![...issuers, LEGACY_ISSUER].includes(issuer)) return undefined;
		const key = keys.find(header);
		if (key === undefined) throw bad('service account token is signed by an unknown key');
		const { payload } = await jwtVerify(token, key, { currentDate: new Date(clock.now()), clockTolerance: LEEWAY_MS / 1000 }).catch(
			(cause: unknown) => {
				throw bad('service account token is not valid', cause);
			},
		);
		const claims = issuer === LEGACY_ISSUER ? legacyClaims(payload, audiences) : boundClaims(payload);
		if (this.#verified.size >= CACHED) this.#verified.delete(this.#verified.keys().next().value ?? '');
		const known: Verified = { claims, user: { ...userOf(claims), ...this.#remarked(claims) } };
		this.#verified.set(token, known);
		return known;
	}

	/** What upstream remarks on tokens that are older than clients should use, and on those of secrets. */
	#remarked({ iss, sub, 'kubernetes.io': { namespace, serviceaccount, secret, warnafter = 0 } }: Claims): Pick<UserInfo, 'remarks'> {
		if (iss === LEGACY_ISSUER && secret !== undefined) {
			const account = (): ServiceAccount | undefined => this.#deps.objects.get(SERVICE_ACCOUNTS, `${namespace}/${serviceaccount.name}`);
			return { remarks: () => secretRemarks(sub, secret.name, account()) };
		}
		if (warnafter === 0) return {};
		return { remarks: () => staleRemarks(sub, this.nowSeconds() - warnafter) };
	}

	/** The account and what the token is bound to must still be the very objects. */
	#checkBound(bound: KubernetesClaim, token: string): void {
		const { namespace, serviceaccount, pod, secret, node } = bound;
		const account = this.#account(`${namespace}/${serviceaccount.name}`, serviceaccount);
		if (pod !== undefined) this.#alive(PODS, `${namespace}/${pod.name}`, pod.uid, 'pod');
		if (node !== undefined && pod === undefined) this.#alive(NODES, node.name, node.uid, 'node');
		if (secret === undefined) return;
		const stored = this.#alive(SECRETS, `${namespace}/${secret.name}`, secret.uid, 'secret');
		if (secret.uid !== '') return;
		if (Buffer.from(stored.data?.['token'] ?? '', 'base64').toString() !== token) throw bad('service account token has been invalidated');
		this.#deps.legacy?.use(stored, account);
	}

	#account(key: string, { name, uid }: KubernetesClaim['serviceaccount']): KubeObject {
		const { objects, clock } = this.#deps;
		const account = objects.get(SERVICE_ACCOUNTS, key);
		if (account === undefined) throw bad(`serviceaccounts ${JSON.stringify(name)} not found`);
		const { metadata } = account;
		if (uid !== '' && metadata.uid !== uid) throw bad(`service account UID (${metadata.uid ?? ''}) does not match claim (${uid})`);
		if (isGone(account, clock.now())) throw bad(`service account ${key} has been deleted`);
		return account;
	}

	/** @param kind as messages name it */
	#alive<T extends KubeObject>(resource: Resource<T>, key: string, uid: string, kind: string): T {
		const object = this.#deps.objects.get(resource, key);
		if (object === undefined) throw bad('service account token has been invalidated');
		const own = object.metadata.uid ?? '';
		if (uid !== '' && own !== uid) throw bad(`${kind} UID (${own}) does not match service account ${kind} ref claim (${uid})`);
		if (isGone(object, this.#deps.clock.now())) throw bad('service account token has been invalidated');
		return object;
	}
}

function isGone({ metadata: { deletionTimestamp: deleted } }: KubeObject, now: number): boolean {
	return typeof deleted === 'string' && Date.parse(deleted) + LEEWAY_MS < now;
}

function boundClaims(payload: JWTPayload): Claims {
	const bound = payload['kubernetes.io'] as KubernetesClaim | undefined;
	const { iss = '', sub = '', aud = [], exp = 0, iat = 0, nbf = 0, jti = '' } = payload;
	if (bound?.serviceaccount === undefined || sub !== serviceAccountName(bound.namespace, bound.serviceaccount.name))
		throw bad('service account token has broken claims');
	return { iss, sub, aud: typeof aud === 'string' ? [aud] : aud, exp, iat, nbf, jti, 'kubernetes.io': bound };
}

/** Tokens of secrets never expire; they live as long as their secret, and are good for the API server only. */
function legacyClaims(payload: JWTPayload, aud: readonly string[]): Claims {
	const claim = (name: string): string => {
		const value = payload[`kubernetes.io/serviceaccount/${name}`];
		return typeof value === 'string' ? value : '';
	};
	return {
		iss: LEGACY_ISSUER,
		sub: payload.sub ?? '',
		aud,
		exp: Number.MAX_SAFE_INTEGER,
		iat: 0,
		nbf: 0,
		jti: '',
		'kubernetes.io': {
			namespace: claim('namespace'),
			serviceaccount: { name: claim('service-account.name'), uid: claim('service-account.uid') },
			secret: { name: claim('secret.name'), uid: '' },
		},
	};
}

function quoted(values: readonly string[]): string {
	return `[${values.map((v) => JSON.stringify(v)).join(' ')}]`;
}

function bad(message: string, cause?: unknown): AppError {
	return new AppError('Unauthenticated', message, cause === undefined ? {} : { cause });
}
