/** Small building blocks of validation rules. A rule appends what it finds to a list of field errors. */
import { duplicate, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import type { KubeObject } from '../resource.ts';
import { domainPrefixedPath } from './names.ts';

export type Errors = FieldError[];

/** The rules of a kind. */
export interface KindRules {
	readonly create: (out: Errors, object: KubeObject) => void;
	readonly update: (out: Errors, object: KubeObject, old: KubeObject) => void;
	/** Rules of subresources that have their own: 'status', 'approval', … */
	readonly subresources?: Readonly<Record<string, (out: Errors, object: KubeObject, old: KubeObject) => void>> | undefined;
}

/** Adds an "Invalid value" for each complaint of a text rule. */
export function texts(out: Errors, path: string, value: unknown, complaints: readonly string[]): void {
	for (const complaint of complaints) out.push(invalidValue(path, value, complaint));
}

/** A path like "acme.io/foo": where its domain is wrong, the error shows the domain alone. */
export function domainPrefixed(out: Errors, path: string, value: string): void {
	const at = value.indexOf('/');
	if (!present(out, path, value)) return;
	texts(out, path, at > 0 && at < value.length - 1 ? value.slice(0, at) : value, domainPrefixedPath(value));
}

export function nonNegative(out: Errors, path: string, value: number | undefined | null): void {
	if (value !== undefined && value !== null && value < 0) out.push(invalidValue(path, value, 'must be greater than or equal to 0'));
}

export function present(out: Errors, path: string, value: unknown, detail = ''): boolean {
	const given = value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
	if (!given) out.push(required(path, detail));
	return given;
}

/** A value of a closed set; absent values are fine. */
export function oneOf(out: Errors, path: string, value: unknown, supported: readonly string[]): void {
	if (value !== undefined && value !== null && !supported.includes(value as string)) out.push(notSupported(path, value, supported));
}

export function immutable(out: Errors, path: string, value: unknown, old: unknown): void {
	if (!same(value, old)) out.push(invalidValue(path, value, 'field is immutable'));
}

/** Reports each value met before. */
export class Unique {
	readonly #seen = new Set<unknown>();

	check(out: Errors, path: string, value: unknown): boolean {
		if (this.#seen.has(value)) {
			out.push(duplicate(path, value));
			return false;
		}
		this.#seen.add(value);
		return true;
	}
}

/** Same JSON, whatever the order of keys; absent, null and empty are one. */
export function same(a: unknown, b: unknown): boolean {
	return stable(a) === stable(b);
}

function stable(value: unknown): string {
	return (
		JSON.stringify(value, (_key, inner: unknown) => {
			if (typeof inner !== 'object' || inner === null) return inner ?? undefined;
			if (Array.isArray(inner)) return inner.length === 0 ? undefined : inner;
			const entries = Object.entries(inner).filter(([, v]) => v !== null && v !== undefined && !(Array.isArray(v) && v.length === 0));
			return Object.fromEntries(entries.sort(([x], [y]) => (x < y ? -1 : 1)));
		}) ?? ''
	);
}
