/** Paths that hand the connection on (exec, port-forward, proxy, …) and their operations. Pure. */
import type { ResourceRow } from '../resources.ts';
import { schemaOfKind } from '../schema.ts';
import { capital, groupTag, groupVersionWord } from './operation-names.ts';
import type { Operation } from './operations.ts';
import { optionsOf, pathParameter } from './parameters.ts';
import type { Describe } from './schemas.ts';

/** A proxy passes every method on, the others are opened by two. */
const PROXIED = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const OPENED = ['get', 'post'];

interface OptionsKind {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}

export class ConnectPaths {
	readonly #row: ResourceRow;
	readonly #options: OptionsKind;
	readonly #describe: Describe;

	constructor(row: ResourceRow, options: OptionsKind, describe: Describe) {
		this.#row = row;
		this.#options = options;
		this.#describe = describe;
	}

	of(path: string, name: string): readonly (readonly [path: string, operations: readonly Operation[]])[] {
		const own = this.#operations(path, name, name === 'proxy' ? PROXIED : OPENED, '');
		if (name !== 'proxy') return [[path, own]];
		const within = `${path}/{path}`;
		return [
			[path, own],
			[within, this.#operations(within, name, PROXIED, 'WithPath')],
		];
	}

	#operations(path: string, name: string, methods: readonly string[], suffix: string): Operation[] {
		const { group, version, kind, namespaced } = this.#row;
		const options = this.#options;
		const type = schemaOfKind(options.group, options.version, options.kind);
		const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => pathParameter(one, options.kind));
		const queries = type === undefined ? [] : optionsOf(type.name, this.#describe);
		return methods.map((method) => ({
			method,
			id: `connect${groupVersionWord(group, version)}${capital(method)}${namespaced ? 'Namespaced' : ''}${kind}${capital(name)}${suffix}`,
			tag: `${groupTag(group)}_${version}`,
			description: `connect ${method.toUpperCase()} requests to ${name} of ${kind}`,
			consumes: ['*/*'],
			produces: ['*/*'],
			parameters: [...inPath, ...queries],
			answer: undefined,
			answers: [],
			action: 'connect',
			subject: { ...options },
		}));
	}
}
