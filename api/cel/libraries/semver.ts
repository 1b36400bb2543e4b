/** Kubernetes' semver library: versions compared as semver.org says; a second argument `true` forgives a leading v and missing parts. */
import { goQuote } from '../../go-quote.ts';
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { Opaque, type Value } from '../values.ts';
import { walks } from './costs.ts';

interface Semver {
	readonly numbers: readonly [bigint, bigint, bigint];
	readonly pre: readonly string[];
}

const TYPE = 'kubernetes.Semver';
const ALPHANUMERIC = /^[0-9A-Za-z-]+$/;

/** Without the v, leading zeros and with the parts that are missing. */
function normalized(text: string): string {
	const parts = threeOf(text.replace(/^v/, '')).map((part) =>
		part.length > 1 ? part.replace(/^0+(?=\d)/, '').replace(/^(?=\D)/, '0') : part,
	);
	if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) throw new EvalError('short version cannot contain PreRelease/Build meta data');
	while (parts.length < 3) parts.push('0');
	return parts.join('.');
}

/** Major, minor and all that follows. */
function threeOf(text: string): string[] {
	const [major = '', minor, ...rest] = text.split('.');
	return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
}

function numberOf(text: string, what: string): bigint {
	if (!/^\d*$/.test(text)) throw new EvalError(`Invalid character(s) found in ${what.toLowerCase()} number ${goQuote(text)}`);
	if (text.length > 1 && text.startsWith('0')) throw new EvalError(`${what} number must not contain leading zeroes ${goQuote(text)}`);
	return uint64(text);
}

function uint64(text: string): bigint {
	if (text === '') throw new EvalError('strconv.ParseUint: parsing "": invalid syntax');
	if (BigInt(text) >= 2n ** 64n) throw new EvalError(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
	return BigInt(text);
}

function read(text: string): Semver {
	if (text === '') throw new EvalError('Version string empty');
	const [major = '', minor = '', whole] = threeOf(text);
	if (whole === undefined) throw new EvalError('No Major.Minor.Patch elements found');
	const numbers = [numberOf(major, 'Major'), numberOf(minor, 'Minor')] as const;
	const [, patch = '', pre, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(whole) ?? [];
	const last = numberOf(patch, 'Patch');
	const parts = pre?.split('.') ?? [];
	for (const part of parts) checkPrerelease(part);
	for (const part of build?.split('.') ?? []) {
		if (part === '') throw new EvalError('Build meta data is empty');
		if (!ALPHANUMERIC.test(part)) throw new EvalError(`Invalid character(s) found in build meta data ${goQuote(part)}`);
	}
	return { numbers: [...numbers, last], pre: parts };
}

function checkPrerelease(part: string): void {
	if (part === '') throw new EvalError('Prerelease is empty');
	if (!ALPHANUMERIC.test(part)) throw new EvalError(`Invalid character(s) found in prerelease ${goQuote(part)}`);
	if (!/^\d+$/.test(part)) return;
	if (part.length > 1 && part.startsWith('0'))
		throw new EvalError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`);
	uint64(part);
}

function isSemver(text: string, normalize = false): boolean {
	try {
		read(normalize ? normalized(text) : text);
		return true;
	} catch (error) {
		if (error instanceof EvalError) return false;
		throw error;
	}
}

function compare(a: Semver, b: Semver): number {
	for (const i of [0, 1, 2] as const) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] < b.numbers[i] ? -1 : 1;
	if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length === a.pre.length ? 0 : a.pre.length === 0 ? 1 : -1;
	for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
		const [x, y] = [a.pre[i], b.pre[i]];
		if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
		if (x === y) continue;
		const [xIsNumber, yIsNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
		if (xIsNumber && yIsNumber) return BigInt(x) < BigInt(y) ? -1 : 1;
		if (xIsNumber !== yIsNumber) return xIsNumber ? -1 : 1;
		return x < y ? -1 : 1;
	}
	return 0;
}

export const semverValue = (text: string): Value => new Opaque(TYPE, read(text), (a, b) => compare(a, b) === 0);
const of = (value: Value | undefined): Semver => (value as Opaque<Semver>).value;
const maybeNormal = (text?: Value, normalize?: Value): string => (normalize === true ? normalized(text as string) : (text as string));

export const semver: readonly Overload[] = [
	overload('string_to_semver', 'semver(string): kubernetes.Semver', (text) => semverValue(text as string), walks(0)),
	overload(
		'string_bool_to_semver',
		'semver(string, bool): kubernetes.Semver',
		(text, normalize) => semverValue(maybeNormal(text, normalize)),
		walks(0),
	),
	overload('is_semver_string', 'isSemver(string): bool', (text) => isSemver(text as string), walks(0)),
	overload(
		'is_semver_string_bool',
		'isSemver(string, bool): bool',
		(text, normalize) => isSemver(text as string, normalize === true),
		walks(0),
	),
	...(['major', 'minor', 'patch'] as const).map((name, i) =>
		overload(`semver_${name}`, `kubernetes.Semver::${name}(): int`, (version) => of(version).numbers[i] as bigint),
	),
	overload('semver_compare_to', 'kubernetes.Semver::compareTo(kubernetes.Semver): int', (a, b) => BigInt(compare(of(a), of(b)))),
	overload('semver_is_less_than', 'kubernetes.Semver::isLessThan(kubernetes.Semver): bool', (a, b) => compare(of(a), of(b)) < 0),
	overload('semver_is_greater_than', 'kubernetes.Semver::isGreaterThan(kubernetes.Semver): bool', (a, b) => compare(of(a), of(b)) > 0),
];
