/** Messages of protobuf, field by field in order; what is empty is not written. */

export class Message {
	readonly #parts: Buffer[] = [];

	bytes(field: number, value: Uint8Array): this {
		this.#parts.push(varint(field * 8 + 2), varint(value.length), Buffer.from(value));
		return this;
	}

	text(field: number, value: unknown): this {
		return typeof value === 'string' && value !== '' ? this.bytes(field, Buffer.from(value)) : this;
	}

	texts(field: number, values: unknown): this {
		for (const value of (values ?? []) as string[]) this.bytes(field, Buffer.from(value));
		return this;
	}

	double(field: number, value: unknown): this {
		if (typeof value !== 'number') return this;
		const bytes = Buffer.alloc(8);
		bytes.writeDoubleLE(value);
		this.#parts.push(varint(field * 8 + 1), bytes);
		return this;
	}

	count(field: number, value: unknown): this {
		if (typeof value === 'number') this.#parts.push(varint(field * 8), varint(value));
		return this;
	}

	flag(field: number, value: unknown): this {
		if (value === true) this.#parts.push(varint(field * 8), varint(1));
		return this;
	}

	/** One of several: written where it is false, too. */
	bool(field: number, value: boolean): this {
		this.#parts.push(varint(field * 8), varint(value ? 1 : 0));
		return this;
	}

	message(field: number, value: Message | undefined): this {
		return value === undefined ? this : this.bytes(field, value.done());
	}

	done(): Buffer {
		return Buffer.concat(this.#parts);
	}
}

function varint(value: number): Buffer {
	const out: number[] = [];
	let rest = value;
	while (rest > 127) {
		out.push((rest & 127) | 128);
		rest = Math.floor(rest / 128);
	}
	return Buffer.from([...out, rest]);
}

/** Values are kept as YAML, in blocks as upstream writes them. */
export function any(value: unknown): Message {
	return new Message().text(2, block(value, ''));
}

/** A value on lines of its own, which begin with `pad`. */
function block(value: unknown, pad: string): string {
	if (Array.isArray(value) && value.length > 0)
		return value.map((item: unknown) => `${pad}- ${block(item, `${pad}  `).slice(isNested(item) ? pad.length + 2 : 0)}`).join('');
	if (!isNested(value)) return `${scalar(value)}\n`;
	return Object.entries(value)
		.map(([key, item]) => `${pad}${scalar(key)}:${isNested(item) ? `\n${block(item, `${pad}  `)}` : ` ${block(item, pad)}`}`)
		.join('');
}

function isNested(value: unknown): value is object {
	return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Words that YAML takes for something else, and what is empty, are quoted. */
function scalar(value: unknown): string {
	if (typeof value !== 'string') return JSON.stringify(value);
	return /^[A-Za-z][\w.,/+-]*$/.test(value) && !/^(?:true|false|yes|no|on|off|y|n|null)$/i.test(value) ? value : JSON.stringify(value);
}
