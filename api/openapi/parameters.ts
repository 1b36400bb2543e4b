/** Parameters of operations: the fields of the option types of the API, and how version 2 shares them by name. Pure. */
import { typeNamed, type TypeSchema } from '../schema.ts';
import type { Describe, Flavour, Json } from './schemas.ts';

export interface Parameter {
	readonly name: string;
	readonly in: 'path' | 'query';
	readonly type: 'string' | 'boolean' | 'integer';
	readonly description: string | undefined;
}

export const PRETTY: Parameter = {
	name: 'pretty',
	in: 'query',
	type: 'string',
	description:
		"If 'true', then the output is pretty printed. Defaults to 'false' unless the user-agent indicates a browser or command-line HTTP tool (curl and wget).",
};

/** What stands in braces in a path. */
export function pathParameter(name: string, kind: string): Parameter {
	const description =
		name === 'name'
			? `name of the ${kind}`
			: name === 'namespace'
				? 'object name and auth scope, such as for teams and projects'
				: 'path to the resource';
	return { name, in: 'path', type: 'string', description };
}

/** One for each field of an options type that fits into a query. */
export function optionsOf(type: string, describe: Describe, without: readonly string[] = []): Parameter[] {
	const options = typeNamed(type);
	if (options.form !== 'struct') return [];
	return [...options.fields].flatMap(([name, field]) => {
		const of = queryType(field.type);
		if (of === undefined || name === 'kind' || name === 'apiVersion' || without.includes(name)) return [];
		return [{ name, in: 'query', type: of, description: describe(type, name) } as const];
	});
}

function queryType(type: TypeSchema): Parameter['type'] | undefined {
	if (type.form !== 'scalar') return undefined;
	switch (type.scalar) {
		case 'string':
			return 'string';
		case 'bool':
			return 'boolean';
		case 'int32':
		case 'int64':
			return 'integer';
		case 'float64':
		case 'bytes':
		case 'any':
			return undefined;
	}
}

export function byName(a: { readonly name: string; readonly in: string }, b: { readonly name: string; readonly in: string }): number {
	return a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1;
}

export function parameterJson({ name, in: where, type, description }: Parameter, flavour: Flavour): Json {
	const said = description === undefined ? {} : { description };
	const required = where === 'path' ? { required: true } : {};
	if (flavour === 'v2') return { uniqueItems: true, type, ...said, name, in: where, ...required };
	return { name, in: where, ...said, ...required, schema: { type, uniqueItems: true } };
}

/** Parameters that older clients look for where they are used: kubectl learns from them what the server can do. */
const NEVER_SHARED = new Set(['dryRun', 'fieldValidation', 'name']);
/** Bodies that are the same for every kind. */
const GENERIC_BODY = '#/definitions/io.k8s.apimachinery';

/** Version 2 writes a parameter once, under a name with the hash of its text, and refers to it. */
export class SharedParameters {
	readonly #found = new Map<string, Json>();
	/** References by the text of the parameter, which is long and comes often. */
	readonly #refs = new Map<string, Json>();

	/** By name, sorted. */
	all(): Json {
		return Object.fromEntries([...this.#found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
	}

	share(parameter: Json): Json {
		const name = parameter['name'] as string;
		if (NEVER_SHARED.has(name)) return parameter;
		const ref = (parameter['schema'] as { $ref?: string } | undefined)?.$ref;
		if (parameter['in'] === 'body' && ref?.startsWith(GENERIC_BODY) !== true) return parameter;
		const text = JSON.stringify(parameter);
		let known = this.#refs.get(text);
		if (known === undefined) {
			const key = `${name}-${hashOf(text)}`;
			this.#found.set(key, parameter);
			known = { $ref: `#/parameters/${key}` };
			this.#refs.set(text, known);
		}
		return known;
	}
}

/** FNV-1 of 64 bits over the JSON as Go writes it; six of its bytes. */
function hashOf(json: string): string {
	const text = json.replaceAll(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
	let hash = 0xcbf29ce484222325n;
	for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte);
	return Buffer.from(hash.toString(16).padStart(16, '0'), 'hex')
		.subarray(0, 6)
		.toString('base64')
		.replaceAll('+', '-')
		.replaceAll('/', '_');
}
