/** Kubernetes' semver library: versions compared as semver.org says; a second argument `true` forgives a leading v and missing parts. */
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { Opaque, type Value } from '../values.ts';
import { walks } from './costs.ts';

interface Semver {
	readonly numbers: readonly [bigint, bigint, bigint];
	readonly pre: readonly string[];
}

const TYPE = 'kubernetes.Semver';
const FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

function normalized(text: string): string {
	const [, core = '', rest = ''] = /^v?([^-+]*)(.*)$/s.exec(text) ?? [];
	const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
	while (parts.length < 3) parts.push('0');
	return parts.join('.') + rest;
}

function parsed(text: string): Semver | undefined {
	const [whole, major = '', minor = '', patch = '', pre] = FORM.exec(text) ?? [];
	if (whole === undefined || (pre?.split('.') ?? []).some((part) => /^0\d+$/.test(part))) return undefined;
	return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: pre === undefined ? [] : pre.split('.') };
}

export function isSemver(text: string): boolean {
	return parsed(text) !== undefined;
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

function read(text: string): Semver {
	const version = parsed(text);
	if (version === undefined)
		throw new EvalError(
			text.split('.').length < 3 ? 'No Major.Minor.Patch elements found' : `Invalid character(s) found in version ${JSON.stringify(text)}`,
		);
	return version;
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
	overload('is_semver_string', 'isSemver(string): bool', (text) => parsed(text as string) !== undefined, walks(0)),
	overload(
		'is_semver_string_bool',
		'isSemver(string, bool): bool',
		(text, normalize) => parsed(maybeNormal(text, normalize)) !== undefined,
		walks(0),
	),
	...(['major', 'minor', 'patch'] as const).map((name, i) =>
		overload(`semver_${name}`, `kubernetes.Semver::${name}(): int`, (version) => of(version).numbers[i] as bigint),
	),
	overload('semver_compare_to', 'kubernetes.Semver::compareTo(kubernetes.Semver): int', (a, b) => BigInt(compare(of(a), of(b)))),
	overload('semver_is_less_than', 'kubernetes.Semver::isLessThan(kubernetes.Semver): bool', (a, b) => compare(of(a), of(b)) < 0),
	overload('semver_is_greater_than', 'kubernetes.Semver::isGreaterThan(kubernetes.Semver): bool', (a, b) => compare(of(a), of(b)) > 0),
];
