/** The claims of a verified token, checked, and the user they make. Pure. */
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { UserInfo } from '../../contracts.ts';
import type { JwtAuthenticator, PrefixedClaim } from './jwt-authenticator.ts';
import type { Mappings, Rule } from './expressions.ts';

type Claims = Readonly<Record<string, unknown>>;

export function checkClaims({ claimValidationRules = [] }: JwtAuthenticator, mappings: Mappings, claims: Claims): void {
	for (const { claim = '', requiredValue = '' } of claimValidationRules) {
		if (claim === '') continue;
		const got = claims[claim];
		if (got === undefined) throw bad(`required claim ${claim} not present in ID token`);
		if (typeof got !== 'string') throw bad(`parse claim ${claim}: json: cannot unmarshal ${typeof got} into Go value of type string`);
		if (got !== requiredValue) throw bad(`required claim ${claim} value does not match. Got = ${got}, want = ${requiredValue}`);
	}
	checkRules('claim validation expression', mappings.claimRules, claims);
}

/** AppError Unauthenticated says which claim is no good. */
export function userOf(authenticator: JwtAuthenticator, mappings: Mappings, claims: Claims): UserInfo {
	const { username, groups, uid } = authenticator.claimMappings;
	const user: UserInfo = {
		name: nameOf(username, mappings, claims),
		uid: uidOf(uid?.claim ?? '', mappings, claims),
		groups: groupsOf(groups, mappings, claims),
		extra: extraOf(mappings, claims),
	};
	checkRules('user info validation rule', mappings.userRules, user);
	return user;
}

function nameOf({ claim = '', prefix = '' }: PrefixedClaim, mappings: Mappings, claims: Claims): string {
	if (mappings.username !== undefined) {
		const name = evaluated('username claim expression', () => mappings.username?.(claims));
		if (typeof name !== 'string') throw bad('error evaluating username claim expression: username claim expression must return a string');
		if (name === '') throw bad('empty username via CEL expression is not allowed');
		return name;
	}
	const name = claims[claim];
	if (typeof name !== 'string') throw bad(`parse username claims ${JSON.stringify(claim)}: claim not present`);
	// A provider that says it has not verified an address vouches for nobody.
	if (claim === 'email' && claims['email_verified'] !== undefined && claims['email_verified'] !== true) throw bad('email not verified');
	return prefix + name;
}

function uidOf(claim: string, mappings: Mappings, claims: Claims): string {
	if (mappings.uid !== undefined) {
		const uid = evaluated('uid claim expression', () => mappings.uid?.(claims));
		if (typeof uid !== 'string') throw bad('error evaluating uid claim expression: uid claim expression must return a string');
		return uid;
	}
	if (claim === '') return '';
	const uid = claims[claim];
	if (typeof uid !== 'string') throw bad(`parse uid claim ${JSON.stringify(claim)}: claim not present`);
	return uid;
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
		throw bad(`parse groups claim ${JSON.stringify(claim)}: it is neither a string nor a list of strings`);
	return groups.map((group: string) => prefix + group);
}

function extraOf(mappings: Mappings, claims: Claims): UserInfo['extra'] {
	const extra: Record<string, readonly string[]> = {};
	for (const { key, value } of mappings.extra) {
		const values = texts(
			'extra claim expression',
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
