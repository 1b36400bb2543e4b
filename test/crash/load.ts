/** Writers against a cluster that is about to die: each creates, updates and deletes ConfigMaps, and a journal keeps what was acknowledged. */
import type { ConfigMap } from '../../api/gen/types.ts';
import { CONFIG_MAPS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Form, Journal } from './journal.ts';

export interface LoadOptions {
	readonly client: Client;
	readonly namespace: string;
	readonly journal: Journal;
	/** In [0, 1): seeded. */
	readonly random: () => number;
	/** What this load's objects are called. */
	readonly prefix: string;
}

const WRITERS = 16;
/** Mean pause of a writer between two writes, so that a campaign's objects stay countable. */
const PAUSE_MS = 4;
/** Of ten writes so many create; the others update and delete in turn. */
const CREATES = 7;

/**
 * Writes until the signal aborts or the server is no longer there; a write under way is waited for, since a server that lives may yet do it. Rejects with any answer that a healthy server would not give.
 */
export async function load(options: LoadOptions, signal: AbortSignal): Promise<void> {
	await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(options, writer, signal)));
}

async function write({ client, namespace, journal, random, prefix }: LoadOptions, writer: number, signal: AbortSignal): Promise<void> {
	const mine: string[] = [];
	for (let count = 0; !signal.aborted; count++) {
		const value = `${prefix}-${writer}-${count}-${'x'.repeat(Math.floor(random() * 900))}`;
		const old = random() * 10 < CREATES ? undefined : mine.splice(Math.floor(random() * mine.length), 1)[0];
		const name = old ?? `${prefix}-${writer}-${count}`;
		const known = journal.form(name);
		try {
			if (known === undefined) {
				journal.begins(name, { value });
				journal.acknowledge(name, formOf(await client.create(CONFIG_MAPS, configMap(namespace, name, value))));
				mine.push(name);
			} else if (random() < 0.5) {
				journal.begins(name, { value });
				const { resourceVersion, uid } = known;
				const next = { ...configMap(namespace, name, value), metadata: { namespace, name, resourceVersion, uid } };
				journal.acknowledge(name, formOf(await client.update(CONFIG_MAPS, next)));
				mine.push(name);
			} else {
				journal.begins(name, 'delete');
				await client.delete(CONFIG_MAPS, `${namespace}/${name}`, { uid: known.uid });
				journal.acknowledge(name, 'gone');
			}
		} catch (error) {
			// The connection broke: nobody knows of this write, and the journal says so.
			if (codeOf(error) === 'Unavailable') return;
			throw error;
		}
		await realClock.sleep(random() * 2 * PAUSE_MS);
	}
}

/** All ConfigMaps of the namespace as a journal knows them. */
export async function shownBy(client: Client, namespace: string): Promise<ReadonlyMap<string, Form>> {
	const shown = new Map<string, Form>();
	let next: string | undefined;
	do {
		const page = await client.list(CONFIG_MAPS, { namespace, limit: 1000, ...(next === undefined ? {} : { continue: next }) });
		for (const map of page.items) if (map.data?.['value'] !== undefined) shown.set(map.metadata.name ?? '', formOf(map));
		next = page.metadata.continue || undefined;
	} while (next !== undefined);
	return shown;
}

function configMap(namespace: string, name: string, value: string): ConfigMap {
	return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { value } };
}

function formOf({ metadata, data }: ConfigMap): Form {
	return { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '', value: data?.['value'] ?? '' };
}
