/** An object that is made again when it is gone, and otherwise left to others. */
import { keyOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import type { Client } from '../../../client/client.ts';
import type { ObjectReader } from '../contracts.ts';
import type { Kept } from './upkeep.ts';

export interface KeptDeps {
	readonly reader: ObjectReader;
	/** Acts as the server itself. */
	readonly client: Client;
}

/** @param make the object, anew each time; its name is always the same */
export function present<T extends KubeObject>(
	resource: Resource<T>,
	make: () => T,
	intervalMs: number,
	{ reader, client }: KeptDeps,
): Kept {
	const key = keyOf(make());
	return {
		...{ name: `${resource.plural} ${key}`, intervalMs },
		follow: (touch) => reader.onChange(resource, touch, key),
		look: () => (reader.get(resource, key) === undefined ? (signal) => client.create(resource, make(), { signal }) : undefined),
	};
}
