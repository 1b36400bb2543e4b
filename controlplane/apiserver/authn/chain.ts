/** Who asks: the first authenticator that knows the credentials says; a request without any is anonymous. */
import { unauthorized } from '../../../api/status.ts';
import { isMisplaced, MISPLACED } from './bearer.ts';
import type { AnonymousOptions } from './oidc/configuration.ts';
import type { Authenticator, Credentials, UserInfo } from '../contracts.ts';

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';

const NOBODY: UserInfo = { name: ANONYMOUS, uid: '', groups: [UNAUTHENTICATED], extra: {} };

const NOBODY_BY_MISTAKE: UserInfo = {
	...NOBODY,
	remarks: () => ({
		notes: [],
		warnings: [MISPLACED],
	}),
};

export function isAnonymous({ name, groups }: UserInfo): boolean {
	return name === ANONYMOUS || groups.includes(UNAUTHENTICATED);
}

/** Like an Authenticator, but with an answer for everyone. */
export interface AuthenticatorChain {
	/** Throws StatusError Unauthorized when credentials were shown and none was good. */
	authenticate(credentials: Credentials, signal: AbortSignal): Promise<UserInfo>;
	/** At once, for credentials that were good before and still are; undefined: `authenticate` must tell. */
	recall(credentials: Credentials): UserInfo | undefined;
}

/**
 * A bad credential does not spoil a good one; only when none is good its error counts.
 * @param anonymous whether requests without credentials are system:anonymous's, and on which paths; all unless told. Others are refused (401)
 */
export function authenticatorChain(authenticators: readonly Authenticator[], anonymous?: AnonymousOptions): AuthenticatorChain {
	const groupsAdded = new WeakMap<UserInfo, UserInfo>();
	const whole = (user: UserInfo): UserInfo => {
		let known = groupsAdded.get(user);
		if (known === undefined) groupsAdded.set(user, (known = withGroup(user)));
		return known;
	};
	return {
		recall(credentials: Credentials): UserInfo | undefined {
			for (const authenticator of authenticators) {
				const user = authenticator.recall?.(credentials);
				if (user !== 'not mine') return user === undefined ? undefined : whole(user);
			}
			return undefined;
		},
		async authenticate(credentials: Credentials, signal: AbortSignal): Promise<UserInfo> {
			let failure: unknown;
			for (const authenticator of authenticators) {
				try {
					const user = await authenticator.authenticate(credentials, signal);
					if (user !== undefined) return whole(user);
				} catch (error) {
					failure ??= error;
				}
			}
			if (failure !== undefined) throw failure;
			if (!mayBeNobody(anonymous, credentials.path)) throw unauthorized();
			return isMisplaced(credentials.headers['authorization']) ? NOBODY_BY_MISTAKE : NOBODY;
		},
	};
}

function mayBeNobody(anonymous: AnonymousOptions | undefined, path: string | undefined): boolean {
	if (anonymous === undefined) return true;
	const { enabled, conditions = [] } = anonymous;
	return enabled && (conditions.length === 0 || conditions.some((condition) => condition.path === path));
}

/** One of those who were found out about. */
export function withGroup(user: UserInfo): UserInfo {
	if (user.name === ANONYMOUS || [AUTHENTICATED, UNAUTHENTICATED].some((group) => user.groups.includes(group))) return user;
	return { ...user, groups: [...user.groups, AUTHENTICATED] };
}
