/** The claims of service-account tokens, and the user they stand for. Pure. */
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

export function serviceAccountName(namespace: string, name: string): string {
	return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
	return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Namespace and name of a service account's user name; undefined for every other user. */
export function splitServiceAccount(user: string): { readonly namespace: string; readonly name: string } | undefined {
	const [system, kind, namespace, name, ...rest] = user.split(':');
	if (system !== 'system' || kind !== 'serviceaccount' || rest.length > 0) return undefined;
	return namespace === undefined || namespace === '' || name === undefined || name === '' ? undefined : { namespace, name };
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
