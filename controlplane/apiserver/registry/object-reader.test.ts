/** Notices of changes, also where what happened in between is lost: an etcd may have forgotten it. */
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { Turns } from '../../../base/turns.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { behindStore } from '../../../test/fakes/behind-store.ts';
import { ChangeRing } from '../../storage/change-ring.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { Parsed } from '../answer/parsed.ts';
import { makeKind, storeKey, type Kinds } from './kinds.ts';
import { StoreReader } from './object-reader.ts';

test('after a gap everything is told once more, and what is gone', async (t) => {
	const store = behindStore(createMemoryStore(new VirtualClock(0)));
	const kind = makeKind(CONFIG_MAPS);
	const ring = new ChangeRing(0n, () => store.revision());
	const reader = new StoreReader(
		{ ...store, watch: (prefix, from, signal) => ring.watch(prefix, from, signal) },
		new Parsed(),
		{ of: () => kind } as unknown as Kinds,
		new Turns(new VirtualClock(0)),
		noLog,
	);
	const put = async (name: string): Promise<bigint> => {
		const key = storeKey(kind, 'n', name);
		const value = kind.encode({
			apiVersion: 'v1',
			kind: 'ConfigMap',
			metadata: { name, namespace: 'n', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
		});
		const revision = await store.commit([{ key, expect: 'absent', value }]);
		ring.push([{ key, revision, after: { key, revision, value } }]);
		return revision;
	};
	await put('kept');
	const gone = await put('gone');
	const told: string[] = [];
	const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
	const toldOfOne: string[] = [];
	const tell =
		(to: string[]) =>
		({ key, after }: { readonly key: string; readonly after: unknown }) =>
			to.push(`${key} ${after === undefined ? 'gone' : 'there'}`);
	reader.onChange(CONFIG_MAPS, tell(told));
	reader.onChange(CONFIG_MAPS, tell(toldOfOne), 'n/seen');
	await put('seen-too');
	await put('seen');
	await settled();
	await store.commit([{ key: storeKey(kind, 'n', 'gone'), expect: gone }]);
	ring.forget(store.revision());
	await settled();
	await put('after');
	await settled();
	t.deepEqual(told, [
		...['n/seen-too there', 'n/seen there'],
		...['n/kept there', 'n/seen there', 'n/seen-too there', 'n/gone gone', 'n/after there'],
	]);
	t.deepEqual(toldOfOne, ['n/seen there', 'n/seen there'], 'of one alone, whatever begins like it');
	reader.close();
});
