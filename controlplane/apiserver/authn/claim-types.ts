/** The types of a service-account token's claims: what does not fit is refused in the words of the decoders upstream has (go-jose). Pure. */
import type { JWTPayload } from 'jose';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { AppError } from '../../../base/errors.ts';

type Claims = Readonly<Record<string, unknown>>;

const TEXTS = ['iss', 'sub', 'jti'];
const TIMES = ['exp', 'iat', 'nbf'];
const PRIVATE = 'kubernetes.io';
const LEGACY_PREFIX = 'kubernetes.io/serviceaccount/';
/** Beyond it a time is no int64, and Go makes of it the smallest one. */
const MAX_SECONDS = 2 ** 63;

/** What it says, without what is null. AppError Unauthenticated for a claim of another type. */
export function typedClaims(payload: JWTPayload): JWTPayload {
	const entries = present(payload).map(([name, value]): readonly [string, unknown] => {
		if (TEXTS.includes(name) || name.startsWith(LEGACY_PREFIX)) return [name, text(value)];
		if (TIMES.includes(name)) return [name, seconds(value)];
		if (name === 'aud') return [name, audiences(value)];
		return [name, name === PRIVATE ? privateClaim(value) : value];
	});
	return Object.fromEntries(entries);
}

function privateClaim(value: unknown): Claims {
	return Object.fromEntries(
		present(struct(value, 'kubernetes')).map(([name, one]) => {
			if (name === 'namespace') return [name, text(one)];
			if (name === 'warnafter') return [name, seconds(one)];
			return ['serviceaccount', 'pod', 'secret', 'node'].includes(name) ? [name, ref(one)] : [name, one];
		}),
	);
}

function ref(value: unknown): Claims {
	return Object.fromEntries(present(struct(value, 'ref')).map(([name, one]) => [name, ['name', 'uid'].includes(name) ? text(one) : one]));
}

function present(claims: Claims): [string, unknown][] {
	return Object.entries(claims).filter(([, value]) => value !== null);
}

function struct(value: unknown, type: string): Claims {
	if (typeof value !== 'object' || Array.isArray(value)) throw misfit(value, `serviceaccount.${type}`);
	return value as Claims;
}

function text(value: unknown): string {
	if (typeof value !== 'string') throw misfit(value, 'string');
	return value;
}

function seconds(value: unknown): number {
	if (typeof value !== 'number') throw refused('go-jose/go-jose/jwt: expected number value to unmarshal NumericDate');
	return Math.abs(value) < MAX_SECONDS ? Math.trunc(value) : -MAX_SECONDS;
}

function audiences(value: unknown): string | string[] {
	if (typeof value === 'string') return value;
	if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
	throw refused('go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience');
}

function misfit(value: unknown, type: string): AppError {
	return refused(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`);
}

function refused(why: string): AppError {
	return new AppError('Unauthenticated', why);
}
