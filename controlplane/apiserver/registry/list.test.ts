/** Lists of older versions: which of them are meant exactly, and where they come from. */
import test from 'ava';
import { CONFIG_MAPS, NAMESPACES } from '../../../api/resources.ts';
import { codeOf } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { behindStore } from '../../../test/fakes/behind-store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { compactedError } from '../../storage/versions.ts';
import { encodeContinue } from '../request/continue-token.ts';
import { listOptions } from '../request/options.ts';
import { makeKind, storeKey, type Kind } from './kinds.ts';
import { list, type Listed } from './list.ts';
import { selection } from './selection.ts';

const { signal } = new AbortController();
const clock = new VirtualClock(0);

async function filled(kind: Kind, namespace: string): Promise<Store> {
	const store = createMemoryStore(clock);
	for (const name of ['a', 'b', 'c']) {
		const metadata = { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z', ...(namespace === '' ? {} : { namespace }) };
		const value = kind.encode({ apiVersion: 'v1', kind: kind.resource.kind, metadata });
		await store.commit([{ key: storeKey(kind, namespace, name), expect: 'absent', value }]);
	}
	return store;
}

const ask = (store: Store, kind: Kind, namespace: string, query: string): Promise<Listed> => {
	const params = new URLSearchParams(query);
	const options = listOptions(params, false);
	return list({ store, clock }, kind, namespace, selection(kind, '', options.fieldSelector), options, signal);
};

const NAMED = 'limit=1&fieldSelector=metadata.name%3Dc';
for (const [what, kind, namespace, query, found] of [
	['a limit means the version exactly', CONFIG_MAPS, 'n', 'limit=5', 1],
	['the one object of a namespace is of the newest', CONFIG_MAPS, 'n', NAMED, 1],
	['of all namespaces it may be several', CONFIG_MAPS, '', NAMED, 0],
	['the one object of a cluster is of the newest', NAMESPACES, '', NAMED, 1],
	['unless one version is asked for', CONFIG_MAPS, 'n', `${NAMED}&resourceVersionMatch=Exact`, 0],
] as const)
	test(`a list of the first object's version: ${what}`, async (t) => {
		const resource = makeKind(kind);
		const store = await filled(resource, kind === NAMESPACES ? '' : 'n');
		t.is((await ask(store, resource, namespace, `resourceVersion=2&${query}`)).entries.length, found);
	});

test('what memory does not know any more comes from where it is durable', async (t) => {
	const kind = makeKind(CONFIG_MAPS);
	const store = await filled(kind, 'n');
	const old = store.list(kind.prefix, {}).entries;
	await store.compact(store.revision());
	const asked: unknown[] = [];
	const durable: Store = {
		...behindStore(store),
		past(_, page) {
			asked.push(page);
			return page.at < 2n
				? Promise.reject(compactedError(page.at, 2n))
				: Promise.resolve({ entries: old, revision: page.at, more: true, remaining: 7 });
		},
		list() {
			throw compactedError(1n, 3n);
		},
	};
	const found = await ask(durable, kind, 'n', `limit=3&continue=${encodeContinue({ revision: 2n, after: '0' })}`);
	t.deepEqual([found.entries.length, found.revision, found.remaining], [3, 2n, 7]);
	t.deepEqual(asked, [{ after: `${kind.prefix}n/0`, limit: 3, at: 2n }]);
	for (const query of ['resourceVersion=1&limit=3', `continue=${encodeContinue({ revision: 1n, after: '0' })}`])
		t.is(
			codeOf(await t.throwsAsync(ask(durable, kind, 'n', query))),
			codeOf(await t.throwsAsync(ask(store, kind, 'n', 'resourceVersion=1&limit=3'))),
		);
});
