/** Bootstrap tokens as their secrets hold them (upstream's cluster-bootstrap). Pure. */
import { createHmac } from 'node:crypto';
import type { Secret } from '../../../api/gen/types.ts';

export const TOKEN_TYPE = 'bootstrap.kubernetes.io/token';

function text({ data }: Secret, name: string): string {
	return Buffer.from(data?.[name] ?? '', 'base64').toString();
}

/** When the token ends, ms since the epoch; a time that cannot be read has passed; undefined for one that does not end. */
export function tokenEnds(secret: Secret): number | undefined {
	const expiration = text(secret, 'expiration');
	return expiration === '' ? undefined : Date.parse(expiration) || 0;
}

/** What it may sign the cluster's information with; undefined where it may not. */
export function signingToken(secret: Secret, now: number): { readonly id: string; readonly secret: string } | undefined {
	const named = /^bootstrap-token-([a-z0-9]{6})$/.exec(secret.metadata.name ?? '')?.[1];
	const [id, key] = [text(secret, 'token-id'), text(secret, 'token-secret')];
	const ends = tokenEnds(secret) ?? Infinity;
	const may = named !== undefined && named === id && key !== '' && ends > now && text(secret, 'usage-bootstrap-signing') === 'true';
	return may ? { id, secret: key } : undefined;
}

/** A detached JWS over the content (HS256, the token's id as key id). */
export function detachedSignature(content: string, { id, secret }: { readonly id: string; readonly secret: string }): string {
	const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
	const payload = Buffer.from(content).toString('base64url');
	return `${header}..${createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')}`;
}
