/** Stores of before custom resources of a built-in name had a folder of their own: what lies among the built-in objects goes there. */
import { apiVersionOf, type KubeObject } from '../../../api/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, RESOURCES } from '../../../api/resources.ts';
import { parseJson } from '../../../api/codec/json-text.ts';
import { codeOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { customFolder } from '../../storage/custom-folder.ts';
import type { Entry, Store } from '../../storage/store.ts';

const DEFINITIONS = `/${CUSTOM_RESOURCE_DEFINITIONS.group}/${CUSTOM_RESOURCE_DEFINITIONS.plural}/`;
const PAGE = 500;

/** Before anything is read. An object whose place is taken stays, and is told of. */
export async function moveCustomResources(store: Store, log: Log): Promise<void> {
	for (const { key } of store.list(DEFINITIONS, {}).entries) {
		const name = key.slice(DEFINITIONS.length);
		const plural = name.slice(0, name.indexOf('.'));
		const group = name.slice(plural.length + 1);
		const folder = `/${group}/${plural}/`;
		const own = customFolder(group, plural);
		if (own !== folder) await move(store, folder, own, versionsOf(group, plural), log);
	}
}

const versionsOf = (group: string, plural: string): ReadonlySet<string> =>
	new Set(RESOURCES.filter((resource) => resource.group === group && resource.plural === plural).map(apiVersionOf));

/** What is of none of the built-in versions. */
async function move(store: Store, from: string, to: string, builtIn: ReadonlySet<string>, log: Log): Promise<void> {
	for (let after: string | undefined, more = true; more; ) {
		const page = store.list(from, { limit: PAGE, ...(after === undefined ? {} : { after }) });
		after = page.entries.at(-1)?.key;
		({ more } = page);
		for (const { key, revision, value } of page.entries.filter((entry) => !builtIn.has(versionOf(entry)))) {
			const moved = { key: to + key.slice(from.length), expect: 'absent', value } as const;
			try {
				await store.commit([{ key, expect: revision }, moved]);
				log.info('moved a custom resource to its own folder', { from: key, to: moved.key });
			} catch (error) {
				if (codeOf(error) !== 'Aborted') throw error;
				log.warn('a custom resource stays among the built-in ones', { key, why: 'its place is taken' });
			}
		}
	}
}

const versionOf = ({ value }: Entry): string => (parseJson(Buffer.from(value.bytes).toString()) as KubeObject).apiVersion ?? '';
