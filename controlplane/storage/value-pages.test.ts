import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { codeOf } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { Contents } from './contents.ts';
import { PageCipher } from './page-cipher.ts';
import { ServedStore } from './served-store.ts';
import { StoredVersion } from './stored-version.ts';
import { ValueFile } from './value-file.ts';
import { ValuePages } from './value-pages.ts';

const KB = 1024;
const MB = 1024 * KB;

const withFile = async (body: (file: ValueFile, dir: string) => Promise<void>, cipher?: PageCipher): Promise<void> => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-values-'));
	const file = ValueFile.open(join(dir, 'values'), cipher);
	try {
		await body(file, dir);
	} finally {
		await file.close();
		rmSync(dir, { recursive: true });
	}
};

const filled = (length: number, byte: number): Buffer => Buffer.alloc(length, byte);
setFlagsFromString('--expose-gc');
/** Places in the file are used again once nothing holds their page. */
const collectGarbage = runInNewContext('gc') as () => void;

const storeOf = (pages: ValuePages): ServedStore =>
	new ServedStore({
		clock: new VirtualClock(),
		durability: { append: () => Promise.resolve(), close: () => Promise.resolve() },
		contents: new Contents({ revision: 1n, entries: [] }, pages),
		fatal: () => {},
	});

for (const cipher of [undefined, new PageCipher()])
	test(`values: what memory has no room for is read from a file that has no name, ${cipher === undefined ? 'plain' : 'sealed'}`, (t) =>
		withFile(async (file, dir) => {
			const pages = new ValuePages({ file, memoryBytes: MB });
			const versions = Array.from({ length: 4000 }, (_, i) => {
				const bytes = filled(i % 100 === 0 ? 50 * KB : KB, i % 251);
				return new StoredVersion(`/v/${i}`, 2n, { bytes, versionAt: 1, labels: {}, fields: {} }, pages);
			});
			await file.settled();
			t.true(pages.held.memory <= MB + 256 * KB, `${pages.held.memory} bytes stay in memory`);
			t.true(pages.held.all > 4 * MB);
			t.deepEqual(readdirSync(dir), []);
			const wrong = versions.filter(({ bytes }, i) => !filled(bytes.length, i % 251).equals(bytes));
			t.deepEqual(wrong, []);
			t.is(readFileSync(`/proc/self/fd/${file.fd}`).includes(filled(KB, 65)), cipher === undefined);
		}, cipher));

test('values: without a file, and where the file has no room, all stay in memory', async (t) => {
	const full = { write: (_page: object, _bytes: Buffer, _at: unknown, failed: (error: unknown) => void) => failed(new Error('full')) };
	for (const file of [undefined, full as unknown as ValueFile]) {
		const pages = new ValuePages({ file, memoryBytes: MB });
		const added = Array.from({ length: 3000 }, (_, i) => pages.add(filled(KB, i % 251)));
		t.true(pages.held.memory > 2 * MB);
		t.is(added[0]?.read(0, 1)[0], 0);
		t.is(added[2]?.read(2 * KB, 1)[0], 2);
	}
});

test('values: objects that stay while their neighbours are written again do not keep the pages of these', (t) =>
	withFile(async (file) => {
		const store = storeOf(new ValuePages({ file, memoryBytes: MB }));
		const value = (byte: number) => ({ bytes: filled(2 * KB, byte), versionAt: 1, labels: {}, fields: {} });
		const revisions = new Map<number, bigint>();
		for (let i = 0; i < 2000; i++) revisions.set(i, await store.commit([{ key: `/v/${i}`, expect: 'absent', value: value(i % 251) }]));
		for (let round = 0; round < 20; round++) {
			for (let i = 0; i < 2000; i++)
				if (i % 50 !== 0) revisions.set(i, await store.commit([{ key: `/v/${i}`, expect: revisions.get(i) ?? 0n, value: value(round) }]));
			await store.compact(store.revision());
			await file.settled();
			collectGarbage();
			await setImmediate(); // the places of the pages that went come back
		}
		t.true(file.bytes < 16 * MB, `the file has ${file.bytes} bytes for 4 MB of values`);
		for (let i = 0; i < 2000; i++) {
			const bytes = store.get(`/v/${i}`)?.value.bytes;
			if (bytes === undefined || !filled(2 * KB, i % 50 === 0 ? i % 251 : 19).equals(bytes)) t.fail(`/v/${i} is not what was written`);
		}
		await store.close();
		t.is(codeOf(t.throws(() => file.read({ at: 0, length: 1, nonce: 0 }, 0, 1))), 'Unavailable');
	}));

test('values: a version that a reader holds is readable when the store has long forgotten it', (t) =>
	withFile(async (file) => {
		const store = storeOf(new ValuePages({ file, memoryBytes: 0 }));
		const value = (byte: number) => ({ bytes: filled(4 * KB, byte), versionAt: 1, labels: {}, fields: {} });
		let expect = await store.commit([{ key: '/v', expect: 'absent', value: value(1) }]);
		const held = store.get('/v');
		for (let i = 0; i < 1000; i++) {
			expect = await store.commit([{ key: '/v', expect, value: value(2) }]);
			if (i % 100 === 0) await store.compact(expect);
		}
		await file.settled();
		t.deepEqual(held?.value.bytes, value(1).bytes);
	}));

for (const [key, fields] of [
	['/pods/ns/a', { 'metadata.name': 'a', 'metadata.namespace': 'ns' }],
	['/nodes/a', { 'metadata.name': 'a' }],
	['/pods/ns/a', { 'metadata.name': 'a', 'metadata.namespace': 'ns', 'spec.nodeName': 'n' }],
	['/pods/ns/a', { 'metadata.name': 'b', 'metadata.namespace': 'ns' }],
	['/pods/ns/a', { 'metadata.name': 's/a', 'metadata.namespace': 'n' }],
	['/pods/ns/a', {}],
] as const)
	test(`a stored version has the fields that were given: ${key} ${JSON.stringify(fields)}`, (t) => {
		const value = { bytes: Buffer.from('{}'), versionAt: 1, labels: { l: '1' }, fields };
		const stored = new StoredVersion(key, 7n, value, new ValuePages());
		t.deepEqual(stored.value.fields, fields);
		t.deepEqual([stored.key, stored.revision, stored.value.versionAt, stored.value.labels], [key, 7n, 1, { l: '1' }]);
	});
