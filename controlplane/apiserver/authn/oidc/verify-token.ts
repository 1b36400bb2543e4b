/** Whether a token of an issuer is good: its signature, for whom it is and until when, in the order and the words of coreos/go-oidc's Verify. */
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { goQuote } from '../../../../api/go-quote.ts';
import type { OidcProvider } from './provider.ts';

export interface TokenRules {
	readonly issuer: string;
	/** One of them is enough. */
	readonly audiences: readonly string[];
	readonly algorithms: readonly string[];
}

const NBF_LEEWAY_MS = 60_000;

/** @param now ms since the epoch; rejects with an Error that says why a token is no good */
export async function verifyToken(
	token: string,
	provider: OidcProvider,
	{ issuer, audiences, algorithms }: TokenRules,
	now: number,
	signal: AbortSignal,
): Promise<JWTPayload> {
	const claims = decodeJwt(token);
	const { alg = '', kid = '' } = decodeProtectedHeader(token);
	if (!algorithms.includes(alg))
		throw new Error(`oidc: id token signed with unsupported algorithm, expected ${list(algorithms)} got ${goQuote(alg)}`);
	if (!(await isSigned(token, alg, kid, provider, signal)))
		throw new Error('failed to verify signature: failed to verify id token signature');
	checkTypes(claims);
	checkSources(claims);
	if (issuerOf(claims.iss) !== issuer)
		throw new Error(`oidc: id token issued by a different provider, expected ${goQuote(issuer)} got ${goQuote(issuerOf(claims.iss))}`);
	const meant = [claims.aud ?? []].flat().filter((audience) => typeof audience === 'string');
	if (!audiences.some((audience) => meant.includes(audience))) {
		const [one = ''] = audiences;
		throw new Error(
			`oidc: expected audience ${audiences.length === 1 ? goQuote(one) : `in ${list(audiences.toSorted())}`} got ${list(meant)}`,
		);
	}
	const [exp, nbf] = [timeOf(claims.exp), timeOf(claims.nbf)];
	if (exp === undefined || exp * 1000 < now) throw new Error(`oidc: token is expired (Token Expiry: ${goTime(exp)})`);
	if (nbf !== undefined && now + NBF_LEEWAY_MS < nbf * 1000)
		throw new Error(`oidc: current time ${goTime(now / 1000)} before the nbf (not before) time: ${goTime(nbf)}`);
	return claims;
}

/** A number, also in quotes. What a token says is anything until it is looked at. */
function timeOf(claimed: unknown): number | undefined {
	if (claimed === undefined || claimed === null) return undefined;
	const text = typeof claimed === 'string' ? claimed : JSON.stringify(claimed);
	if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
	throw new Error(
		`oidc: failed to unmarshal claims: json: invalid number literal, trying to unmarshal ${goQuote(JSON.stringify(claimed))} into Number`,
	);
}

/** Google leaves the scheme out. */
export function issuerOf(claimed: unknown): string {
	if (typeof claimed !== 'string') return '';
	return claimed === 'accounts.google.com' ? 'https://accounts.google.com' : claimed;
}

/** Keys that are known first; new ones are asked for where none of them signed it. */
async function isSigned(token: string, alg: string, kid: string, provider: OidcProvider, signal: AbortSignal): Promise<boolean> {
	if (await (await provider.keys(signal)).signed(token, alg, kid)) return true;
	const newer = await provider.newerKeys(signal);
	return newer !== undefined && newer.signed(token, alg, kid);
}

/** Go reads these into texts. */
function checkTypes(claims: JWTPayload): void {
	for (const name of ['iss', 'sub', 'at_hash']) {
		const value = claims[name] ?? '';
		if (typeof value === 'string') continue;
		const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
		throw new Error(`oidc: failed to unmarshal claims: json: cannot unmarshal ${kind} into Go struct field idToken.${name} of type string`);
	}
}

function checkSources({ _claim_names: names, _claim_sources: sources }: JWTPayload): void {
	for (const source of Object.values((names ?? {}) as Readonly<Record<string, unknown>>)) {
		if (source === '') throw new Error('oidc: failed to obtain source from claim name');
		if (typeof source !== 'string' || !Object.hasOwn((sources ?? {}) as object, source)) throw new Error('oidc: source does not exist');
	}
}

const list = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

/** As Go prints a time; a claim that is not there is its first one. */
function goTime(seconds: number | undefined): string {
	if (seconds === undefined) return '0001-01-01 00:00:00 +0000 UTC';
	return `${new Date(seconds * 1000)
		.toISOString()
		.replace('T', ' ')
		.replace(/\.?0*Z$/, '')} +0000 UTC`;
}
