/** The claims of a verified token, checked, and the user they make. Pure. */
import { goQuote } from '../../../../api/go-quote.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { UserInfo } from '../../contracts.ts';
import type { JwtAuthenticator, PrefixedClaim } from './jwt-authenticator.ts';
import type { Mappings, Rule } from './expressions.ts';

type Claims = Readonly<Record<string, unknown>>;

/** First who it is, then whether the rules agree, as upstream goes. AppError Unauthenticated says which claim is no good. */
export function userOf(authenticator: JwtAuthenticator, mappings: Mappings, claims: Claims): UserInfo {
	const { username, groups, uid } = authenticator.claimMappings;
	const user: UserInfo = {
		name: nameOf(username, mappings, claims),
		groups: groupsOf(groups, mappings, claims),
		uid: uidOf(uid?.claim ?? '', mappings, claims),
		extra: extraOf(mappings, claims),
	};
	for (const { claim = '', requiredValue = '' } of authenticator.claimValidationRules ?? []) {
		if (claim === '') continue;
		if (claims[claim] === undefined) throw bad(`required claim ${claim} not present in ID token`);
		const got = textOf(claims[claim], (why) => `parse claim ${claim}: ${why}`);
		if (got !== requiredValue) throw bad(`required claim ${claim} value does not match. Got = ${got}, want = ${requiredValue}`);
	}
	checkRules('claim validation expression', mappings.claimRules, claims);
	checkRules('user info validation rule', mappings.userRules, user);
	return user;
}

/** A text as Go reads one; null is none. */
function textOf(value: unknown, wrong: (why: string) => string): string {
	if (value === undefined) throw bad(wrong('claim not present'));
	if (typeof value !== 'string' && value !== null) throw bad(wrong(unmarshal(value, 'string')));
	return value ?? '';
}

/** What Go's decoder says of a value of another type. */
function unmarshal(value: unknown, into: string): string {
	const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
	return `json: cannot unmarshal ${kind} into Go value of type ${into}`;
}

function nameOf({ claim = '', prefix = '' }: PrefixedClaim, mappings: Mappings, claims: Claims): string {
	if (mappings.username !== undefined) {
		const name = evaluated('username claim expression', () => mappings.username?.(claims));
		if (typeof name !== 'string') throw bad('error evaluating username claim expression: username claim expression must return a string');
		if (name === '') throw bad('empty username via CEL expression is not allowed');
		return name;
	}
	// Nobody is called nothing, though upstream takes a claim that is null for that.
	const name = textOf(claims[claim] ?? undefined, (why) => `parse username claims ${goQuote(claim)}: ${why}`);
	const { email_verified: verified = true } = claims;
	if (claim === 'email') {
		if (typeof verified !== 'boolean' && verified !== null) throw bad(`parse 'email_verified' claim: ${unmarshal(verified, 'bool')}`);
		// A provider that says it has not verified an address vouches for nobody.
		if (verified !== true) throw bad('email not verified');
	}
	return prefix + name;
}

function uidOf(claim: string, mappings: Mappings, claims: Claims): string {
	if (mappings.uid !== undefined) {
		const uid = evaluated('uid claim expression', () => mappings.uid?.(claims));
		if (typeof uid !== 'string') throw bad('error evaluating uid claim expression: uid claim expression must return a string');
		return uid;
	}
	if (claim === '') return '';
	return textOf(claims[claim], (why) => `parse uid claim ${goQuote(claim)}: ${why}`);
}

function groupsOf(mapping: PrefixedClaim | undefined, mappings: Mappings, claims: Claims): readonly string[] {
	if (mappings.groups !== undefined)
		return texts(
			'group claim expression',
			evaluated('group claim expression', () => mappings.groups?.(claims)),
		);
	const { claim = '', prefix = '' } = mapping ?? {};
	const groups = claim === '' ? undefined : claims[claim];
	if (groups === undefined || groups === null) return [];
	if (typeof groups === 'string') return [prefix + groups];
	if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
		throw bad(`parse groups claim ${goQuote(claim)}: ${unmarshal(groups, 'string')}`);
	return groups.map((group: string) => prefix + group);
}

function extraOf(mappings: Mappings, claims: Claims): UserInfo['extra'] {
	const extra: Record<string, readonly string[]> = {};
	const { jti } = claims;
	if (typeof jti === 'string' && jti !== '') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${jti}`];
	for (const { key, expression, value } of mappings.extra) {
		const values = texts(
			`extra claim expression: ${expression}`,
			evaluated('extra claim expression', () => value(claims)),
		);
		if (values.length > 0) extra[key] = values;
	}
	return extra;
}

/** A text, a list of texts, or nothing. */
function texts(what: string, value: unknown): readonly string[] {
	if (value === null || value === undefined || value === '') return [];
	if (typeof value === 'string') return [value];
	if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return (value as string[]).filter((one) => one !== '');
	throw bad(`error evaluating ${what}: expression must return a string or a list of strings`);
}

function checkRules<T>(what: string, rules: readonly Rule<T>[], subject: T): void {
	for (const { expression, message, holds } of rules) {
		const value = evaluated(what, () => holds(subject));
		if (typeof value !== 'boolean') throw bad(`error evaluating ${what}: validation expression must return a boolean`);
		if (!value) throw bad(`error evaluating ${what}: validation expression '${expression}' failed: ${message}`);
	}
}

function evaluated(what: string, run: () => unknown): unknown {
	try {
		return run();
	} catch (cause) {
		throw bad(`error evaluating ${what}: ${messageOf(cause)}`, cause);
	}
}

function bad(why: string, cause?: unknown): AppError {
	return new AppError('Unauthenticated', `oidc: ${why}`, cause === undefined ? {} : { cause });
}
