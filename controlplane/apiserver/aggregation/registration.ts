/** Keeps the APIServices of this server's own groups: built-in ones are made once, those of definitions follow them (upstream's autoregister). */
import type { APIService, CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { API_SERVICES } from '../../../api/resources.ts';
import { ignore, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import { builtInServices, customServices, MANAGED } from './local-services.ts';

interface Deps {
	readonly client: Client;
	readonly log: Log;
}

type Stored = APIService & KubeObject;

export class LocalServices {
	readonly #deps: Deps;
	/** Built-in ones that have not been seen yet: each is made once. */
	readonly #unmade = new Map(builtInServices().map((one) => [one.metadata.name ?? '', one]));

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Whether all could be made and deleted that had to be. */
	async ensure(stored: readonly Stored[], definitions: readonly CustomResourceDefinition[], signal: AbortSignal): Promise<boolean> {
		const { client } = this.#deps;
		const present = new Map(stored.map((one) => [one.metadata.name ?? '', one]));
		const wanted = new Map(customServices(definitions).map((one) => [one.metadata.name ?? '', one]));
		for (const name of present.keys()) this.#unmade.delete(name);
		const missing = [...this.#unmade.values(), ...wanted.values()].filter(({ metadata }) => !present.has(metadata.name ?? ''));
		const surplus = stored.filter(
			({ metadata: { name = '', labels } }) =>
				labels?.[MANAGED] === 'true' && !wanted.has(name) && !definitions.some((d) => serves(d, name)),
		);
		const done = await Promise.all([
			...missing.map((one) =>
				this.#attempt(one, signal, () => client.create(API_SERVICES, one, { signal }).catch(ignore('AlreadyExists'))),
			),
			...surplus.map((one) =>
				this.#attempt(one, signal, () => client.delete(API_SERVICES, one.metadata.name ?? '', { signal }).catch(ignore('NotFound'))),
			),
		]);
		return done.every(Boolean);
	}

	async #attempt({ metadata }: APIService, signal: AbortSignal, work: () => Promise<unknown>): Promise<boolean> {
		const { name = '' } = metadata;
		try {
			await work();
			this.#unmade.delete(name);
			return true;
		} catch (error) {
			if (!signal.aborted) this.#deps.log.warn('cannot register an APIService', { name, why: messageOf(error) });
			return false;
		}
	}
}

/** A definition that is not established yet, but was and may be again. */
function serves({ spec }: CustomResourceDefinition, name: string): boolean {
	return (spec.versions ?? []).some((version) => version.served && `${version.name ?? ''}.${spec.group ?? ''}` === name);
}
