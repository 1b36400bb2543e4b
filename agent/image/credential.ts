/** A registry's credentials, and who may use what was pulled with them. Pure. */
import { createHash } from 'node:crypto';
import type { ImageAuth } from '../runtime/runtime.ts';

export interface AccountRef {
	readonly uid: string;
	readonly namespace: string;
	readonly name: string;
}

export type CredentialSource =
	/** All pods of the node. */
	| { readonly type: 'node' }
	/** Those that name the secret, or one that holds the same. */
	| ({ readonly type: 'secret'; readonly hash: string } & AccountRef)
	/** Those that run as the service account. */
	| ({ readonly type: 'account' } & AccountRef);

export interface Credential {
	readonly auth: ImageAuth;
	readonly source: CredentialSource;
}

export function hashOf({ username = '', password = '', identityToken = '', registryToken = '', auth = '' }: ImageAuth): string {
	return createHash('sha256')
		.update(JSON.stringify([username, password, identityToken, registryToken, auth]))
		.digest('hex');
}
