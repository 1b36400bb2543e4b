/** The claims of service-account tokens, and the user they stand for. Pure. */
import type { JWTPayload } from 'jose';
import { dnsLabel, dnsSubdomain } from '../../../api/validation/names.ts';
import type { UserInfo } from '../contracts.ts';

interface Ref {
	readonly name: string;
	readonly uid: string;
}

/** The private claim "kubernetes.io" of bound tokens. */
export interface KubernetesClaim {
	readonly namespace: string;
	readonly serviceaccount: Ref;
	readonly pod?: Ref;
	readonly secret?: Ref;
	readonly node?: Ref;
	/** Seconds since the epoch after which a token with extended life counts as stale. */
	readonly warnafter?: number;
}

export interface Claims {
	readonly iss: string;
	readonly sub: string;
	readonly aud: readonly string[];
	readonly exp: number;
	readonly iat: number;
	readonly nbf: number;
	readonly jti: string;
	readonly 'kubernetes.io': KubernetesClaim;
}

const EXTRA = 'authentication.kubernetes.io/';
/** Issuer of tokens kept in secrets (upstream's LegacyIssuer). */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';
const NEVER = Number.MAX_SAFE_INTEGER;

/** Of a token from TokenRequest. @param own audiences of the API server, for which a token is that names none */
export function boundClaims(payload: JWTPayload, own: readonly string[]): Claims {
	const { iss = '', sub = '', exp = NEVER, iat = 0, nbf = 0, jti = '' } = payload;
	const bound = (payload['kubernetes.io'] ?? {}) as Partial<KubernetesClaim>;
	const { namespace = '', serviceaccount, warnafter } = bound;
	const others = (['pod', 'secret', 'node'] as const).flatMap((kind) =>
		bound[kind] === undefined ? [] : [[kind, refOf(bound[kind])] as const],
	);
	const claim = {
		namespace,
		serviceaccount: refOf(serviceaccount),
		...Object.fromEntries(others),
		...(warnafter === undefined ? {} : { warnafter }),
	};
	return { iss, sub, aud: audiencesOf(payload, own), exp, iat, nbf, jti, 'kubernetes.io': claim };
}

function refOf({ name = '', uid = '' }: Partial<Ref> = {}): Ref {
	return { name, uid };
}

/** As it stands in a token: what is empty is left out, and keys are in order. */
export function written(bound: KubernetesClaim): object {
	const entries = Object.entries(bound).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(
		entries.map(([key, value]) => [key, typeof value === 'object' && value.uid === '' ? { name: value.name } : value]),
	);
}

/** Tokens of secrets never expire; they live as long as their secret. */
export function legacyClaims(payload: JWTPayload, own: readonly string[]): Claims {
	const claim = (name: string): string => {
		const value = payload[`kubernetes.io/serviceaccount/${name}`];
		return typeof value === 'string' ? value : '';
	};
	return {
		iss: LEGACY_ISSUER,
		sub: payload.sub ?? '',
		aud: audiencesOf(payload, own),
		exp: NEVER,
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

/** What the token of a secret lacks; undefined: nothing. */
export function brokenLegacyClaim({ sub, 'kubernetes.io': { namespace, serviceaccount, secret } }: Claims): string | undefined {
	const claims = {
		sub,
		namespace,
		secretName: secret?.name,
		serviceAccountName: serviceaccount.name,
		serviceAccountUID: serviceaccount.uid,
	};
	for (const [name, value = ''] of Object.entries(claims)) if (value === '') return `${name} claim is missing`;
	return sub === serviceAccountName(namespace, serviceaccount.name) ? undefined : 'sub claim is invalid';
}

function audiencesOf({ aud = [] }: JWTPayload, own: readonly string[]): readonly string[] {
	const named = typeof aud === 'string' ? [aud] : aud;
	return named.length === 0 ? own : named;
}

export function serviceAccountName(namespace: string, name: string): string {
	return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
	return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Namespace and name of a service account's user name; undefined for every other user. */
export function splitServiceAccount(user: string): { readonly namespace: string; readonly name: string } | undefined {
	const [system, kind, namespace, name, ...rest] = user.split(':');
	if (system !== 'system' || kind !== 'serviceaccount' || rest.length > 0 || namespace === undefined || name === undefined)
		return undefined;
	return dnsLabel(namespace).length === 0 && dnsSubdomain(name).length === 0 ? { namespace, name } : undefined;
}

/** The user a token stands for. */
export function userOf(claims: Pick<Claims, 'jti' | 'kubernetes.io'>): UserInfo {
	const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
	const extra: Record<string, readonly string[]> = {};
	if (claims.jti !== '') extra[`${EXTRA}credential-id`] = [`JTI=${claims.jti}`];
	if (node !== undefined) {
		extra[`${EXTRA}node-name`] = [node.name];
		if (node.uid !== '') extra[`${EXTRA}node-uid`] = [node.uid];
	}
	if (pod !== undefined) {
		extra[`${EXTRA}pod-name`] = [pod.name];
		extra[`${EXTRA}pod-uid`] = [pod.uid];
	}
	return {
		name: serviceAccountName(namespace, serviceaccount.name),
		uid: serviceaccount.uid,
		groups: serviceAccountGroups(namespace),
		extra,
	};
}
