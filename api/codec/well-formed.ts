/** Texts without halves of surrogate pairs, which only an escape can write. */
import { FloatLiteral } from './float-literal.ts';

const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;

/** The value of a document, with U+FFFD for what is no character, as Go reads it. */
export function wellFormed(document: string, value: unknown): unknown {
	return ESCAPED_HALF.test(document) ? made(value) : value;
}

function made(value: unknown): unknown {
	if (typeof value === 'string') return value.toWellFormed();
	if (typeof value !== 'object' || value === null || value instanceof FloatLiteral) return value;
	if (Array.isArray(value)) return value.map(made);
	const out: Record<string, unknown> = {};
	for (const [key, item] of Object.entries(value))
		Object.defineProperty(out, key.toWellFormed(), { value: made(item), enumerable: true, configurable: true, writable: true });
	return out;
}
