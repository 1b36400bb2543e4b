/** Types of kinds for expressions: built-in ones as they are known, others from the OpenAPI document that the server publishes for their group version. */
import { builtInKindType } from '../../../api/openapi/built-in-cel-types.ts';
import { documentKindType } from '../../../api/openapi/cel-types.ts';
import type { KindName } from '../../../api/cel/admission/type-check.ts';
import { DYN, type Type } from '../../../api/cel/types.ts';
import type { ParamKind } from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
import { readText } from '../../../base/lines.ts';
import type { Client } from '../../../client/client.ts';

/** For one look at one policy: documents are read once. */
export class KindTypes {
	readonly #client: Client;
	readonly #signal: AbortSignal;
	readonly #documents = new Map<string, Promise<unknown>>();

	constructor(client: Client, signal: AbortSignal) {
		this.#client = client;
		this.#signal = signal;
	}

	/** Undefined: nothing is known of the kind. AppError Unavailable when the server cannot say. */
	async of(kind: KindName): Promise<Type | undefined> {
		const builtIn = builtInKindType(kind);
		if (builtIn !== undefined) return builtIn;
		const document = await this.#document(kind);
		return document === undefined ? undefined : documentKindType(document, kind);
	}

	/** Undefined where a policy has no parameters. */
	async ofParams(kind: ParamKind | undefined): Promise<Type | undefined> {
		if (kind === undefined) return undefined;
		const parts = (kind.apiVersion ?? '').split('/');
		const [group = '', version = ''] = parts.length === 1 ? ['', ...parts] : parts;
		return (await this.of({ group, version, kind: kind.kind ?? '' })) ?? DYN;
	}

	#document({ group, version }: KindName): Promise<unknown> {
		const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
		let document = this.#documents.get(path);
		if (document === undefined) {
			document = this.#read(`/openapi/v3/${path}`);
			this.#documents.set(path, document);
		}
		return document;
	}

	/** Undefined where there is none. */
	async #read(path: string): Promise<unknown> {
		const answer = await this.#client.transport.request({ method: 'GET', path, headers: { accept: 'application/json' } }, this.#signal);
		const text = await readText(answer.body);
		if (answer.status === 404) return undefined;
		if (answer.status !== 200) throw new AppError('Unavailable', `Cannot read ${path}: the server answers ${answer.status}`);
		return JSON.parse(text);
	}
}
