/** Tokens known from the start (upstream's --token-auth-file): the administrator's, and those that parts of the cluster give each other. */
import { hash } from 'node:crypto';
import type { UserInfo } from '../contracts.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';

export interface StaticToken {
	readonly token: string;
	readonly user: string;
	readonly uid?: string;
	readonly groups?: readonly string[];
}

/** Tokens are looked up by their hash, so that timing tells nothing of them. */
export function staticTokens(tokens: readonly StaticToken[]): TokenAuthenticator {
	const users = new Map<string, UserInfo>();
	for (const { token, user, uid = '', groups = [] } of tokens) users.set(digest(token), { name: user, uid, groups, extra: {} });
	return {
		authenticateToken(token: string, audiences: readonly string[]): Promise<TokenIdentity | undefined> {
			const user = users.get(digest(token));
			return Promise.resolve(user === undefined ? undefined : { user, audiences });
		},
	};
}

function digest(token: string): string {
	return hash('sha256', token, 'base64');
}
