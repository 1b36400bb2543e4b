/**
 * Whole numbers that JSON text writes as `2.0` or `2e0`: Go's reader takes none of them for an integer, where the platform's makes them one. They are found by a
 * pattern before the parse, since hardly any document has one; a text may look like one, and is then parsed the slow way for nothing.
 */

const WRITTEN = /[:[,]\s*-?\d+(?:\.0+(?:[eE][+-]?\d+)?|(?:\.\d+)?[eE][+-]?\d+)\s*[,\]}]/;
const INTEGER = /^-?\d+$/;

/** A whole number with its text. It has no keys, and is written as it was. */
export class FloatLiteral {
	readonly #text: string;
	constructor(text: string) {
		this.#text = text;
	}

	get text(): string {
		return this.#text;
	}

	get value(): number {
		return Number(this.#text);
	}

	toJSON(): unknown {
		return JSON.rawJSON(this.#text);
	}
}

export function hasFloatLiteral(json: string): boolean {
	return WRITTEN.test(json);
}

/** What a number's text in the source means: a FloatLiteral where Go would read a float that is whole. */
export function numberOf(value: number, source: string): number | FloatLiteral {
	return Number.isInteger(value) && !INTEGER.test(source) ? new FloatLiteral(source) : value;
}

/** The value with numbers alone, for what has no type that could tell them apart; it is changed. */
export function withPlainNumbers(value: unknown): unknown {
	if (value instanceof FloatLiteral) return value.value;
	if (typeof value !== 'object' || value === null) return value;
	const fields = value as Record<string, unknown>;
	for (const key of Object.keys(fields)) {
		const item = fields[key];
		const plain = withPlainNumbers(item);
		if (plain !== item) Object.defineProperty(fields, key, { value: plain, enumerable: true, configurable: true, writable: true });
	}
	return value;
}
