/** Reads a configuration's fields one by one; what is of another type is refused with its path. */
import { AppError } from './errors.ts';

export class Shape {
	readonly value: Readonly<Record<string, unknown>>;
	readonly #path: string;

	/** AppError InvalidArgument where it is no map. */
	constructor(value: unknown, path: string) {
		this.#path = path;
		if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#wrong('', value, 'must be a map');
		this.value = value as Readonly<Record<string, unknown>>;
	}

	has(field: string): boolean {
		return this.value[field] !== undefined && this.value[field] !== null;
	}

	kind(versions: readonly string[], kind: string): void {
		if (versions.includes(this.text('apiVersion')) && this.text('kind') === kind) return;
		const given = `${JSON.stringify(this.text('kind'))} is registered for version ${JSON.stringify(this.text('apiVersion'))}`;
		throw new AppError('InvalidArgument', `no kind ${given}: it must be ${kind} of ${versions.join(' or ')}`);
	}

	/** For those that upstream reads strictly. */
	only(...known: readonly string[]): void {
		const unknown = Object.keys(this.value).filter((field) => !known.includes(field));
		if (unknown.length === 0) return;
		const all = unknown.map((field) => `unknown field ${JSON.stringify(this.#at(field))}`);
		throw new AppError('InvalidArgument', `strict decoding error: ${all.join(', ')}`);
	}

	text(field: string): string {
		return this.#typed(field, 'string', '');
	}
	number(field: string): number {
		const value = this.#typed(field, 'number', 0);
		if (!Number.isInteger(value)) throw this.#wrong(field, value, 'must be an integer');
		return value;
	}
	bool(field: string): boolean {
		return this.#typed(field, 'boolean', false);
	}
	texts(field: string): readonly string[] {
		return this.#items(field).map((item, i) => {
			if (typeof item !== 'string') throw this.#wrong(`${field}[${i}]`, item, 'must be a string');
			return item;
		});
	}
	map(field: string): Shape {
		return new Shape(this.value[field] ?? {}, this.#at(field));
	}
	list(field: string): readonly Shape[] {
		return this.#items(field).map((item, i) => new Shape(item, this.#at(`${field}[${i}]`)));
	}

	#typed<T>(field: string, type: string, unless: T): T {
		const value = this.value[field] ?? unless;
		if (typeof value !== type) throw this.#wrong(field, value, `must be a ${type}`);
		return value as T;
	}
	#items(field: string): readonly unknown[] {
		const value = this.value[field] ?? [];
		if (!Array.isArray(value)) throw this.#wrong(field, value, 'must be a list');
		return value;
	}
	#at(field: string): string {
		return this.#path === '' || field === '' ? this.#path + field : `${this.#path}.${field}`;
	}
	#wrong(field: string, value: unknown, why: string): AppError {
		const at = this.#at(field);
		return new AppError('InvalidArgument', `${at === '' ? '' : `${at}: `}Invalid value: ${JSON.stringify(value ?? null)}: ${why}`);
	}
}
