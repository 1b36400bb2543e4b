/** The definitions of the snapshot kinds, those of external-snapshotter 8.7 without their texts, and how they are installed. */
import type { CustomResourceDefinition } from '../../api/gen/types.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import definitions from './snapshot-definitions.json' with { type: 'json' };

export const SNAPSHOT_DEFINITIONS = definitions as unknown as readonly CustomResourceDefinition[];

/** Those that are there, of whatever version, stay as they are. */
export async function installSnapshotDefinitions(client: Client, signal: AbortSignal): Promise<void> {
	for (const definition of SNAPSHOT_DEFINITIONS)
		await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition, { signal }).catch(ignore('AlreadyExists'));
}
