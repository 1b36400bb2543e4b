/** ConfigMaps and Secrets that pods of this node read, fetched when needed. */
import type { ConfigMap, Secret } from '../../api/gen/types.ts';
import { CONFIG_MAPS, SECRETS } from '../../api/resources.ts';
import { codeOf } from '../../base/errors.ts';
import { StatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';

export interface ObjectReader {
	/** Undefined where there is none. */
	configMap(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap | undefined>;
	secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined>;
}

export class Objects implements ObjectReader {
	readonly #client: Client;

	constructor(client: Client) {
		this.#client = client;
	}

	configMap(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap | undefined> {
		return this.#client.get(CONFIG_MAPS, `${namespace}/${name}`, { signal }).catch(unlessMissing);
	}

	secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined> {
		return this.#client.get(SECRETS, `${namespace}/${name}`, { signal }).catch(unlessMissing);
	}
}

function unlessMissing(error: unknown): undefined {
	if (isNotFound(error)) return undefined;
	throw error;
}

export function isNotFound(error: unknown): boolean {
	return (error instanceof StatusError && error.httpCode === 404) || codeOf(error) === 'NotFound';
}
