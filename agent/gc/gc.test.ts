/** What is collected and what stays; logs rotated under a reader. */
import { appendFile, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { playing } from '../../test/fakes/playing.ts';
import { container, seen } from '../../test/fakes/pods.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { linkLog, logLinkName, removeDeadLinks } from '../container/log-link.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import { readLog } from '../server/log-stream.ts';
import { Collector } from './collector.ts';
import { garbageOf } from './garbage.ts';
import { ImageCollector } from './image-collector.ts';
import { bytesText, bytesToFree, imagesToRemove, oldImages } from './images.ts';
import { rotateLog } from './log-rotation.ts';

const run = (id: string, state: 'created' | 'running' | 'exited', more: object = {}) => container('c', state, { id, ...more });
for (const [name, containers, want] of [
	['nothing of a pod that runs', [run('1', 'running')], []],
	['the one before stays for its logs', [run('2', 'running'), run('1', 'exited')], []],
	['older ones go', [run('3', 'running'), run('2', 'exited'), run('1', 'exited')], ['1']],
	['in a crash loop the last stays', [run('3', 'exited'), run('2', 'exited'), run('1', 'exited')], ['2', '1']],
	['one being made leaves the last', [run('3', 'created'), run('2', 'exited'), run('1', 'exited')], ['1']],
	['what could never start goes', [run('3', 'created'), run('2', 'created'), run('1', 'exited')], ['2']],
] as const)
	test(`garbageOf(): ${name}`, (t) =>
		t.deepEqual(
			garbageOf(seen(...containers)).containers.map((c) => c.id),
			want as unknown as string[],
		));

test('garbageOf(): a dead sandbox goes once it holds nothing', (t) => {
	const sandbox = (id: string, ready: boolean) => ({ id, attempt: 0, ready, createdAt: 0, ips: [], hostNetwork: false });
	const sandboxes = [sandbox('s3', true), sandbox('s2', false), sandbox('s1', false)];
	const containers = [
		run('c3', 'running', { sandboxId: 's3' }),
		run('c2', 'exited', { sandboxId: 's2' }),
		run('c1', 'exited', { sandboxId: 's1' }),
	];
	const garbage = garbageOf({ ...seen(...containers), sandboxes });
	t.deepEqual([garbage.containers.map((c) => c.id), garbage.sandboxes.map((s) => s.id)], [['c1'], ['s1']]);
});

const image = (id: string, more: Partial<ImageInfo> = {}): ImageInfo => ({
	...{ id, tags: [id], digests: [], sizeBytes: 100, uid: undefined, username: '', pinned: false },
	...more,
});
const HOUR = 3_600_000;
for (const [name, images, used, uses, free, want] of [
	['the least recently used first', [image('a'), image('b')], [], { a: 2, b: 1 }, 100, ['b']],
	['until enough is free', [image('a'), image('b'), image('c')], [], { a: 2, b: 1, c: 3 }, 150, ['b', 'a']],
	['never what runs', [image('a'), image('b')], ['b'], { a: 2, b: 1 }, 1000, ['a']],
	["never the user's own", [image('a', { pinned: true })], [], { a: 1 }, 1000, []],
	['what was used until just now too', [image('a')], [], { a: 10 * HOUR - 1000 }, 1000, ['a']],
] as const)
	test(`imagesToRemove(): ${name}`, (t) => {
		const known = new Map(Object.entries(uses).map(([id, at]) => [id, { firstSeen: 0, lastUsed: at as number }]));
		t.deepEqual(
			imagesToRemove(images, new Set(used), known, free, 10 * HOUR).map((i) => i.id),
			want as unknown as string[],
		);
	});

for (const [available, want] of [
	[20, 0],
	[16, 0],
	[15.9, 4.1],
	[15, 5],
	[0, 20],
] as const)
	test(`bytesToFree(): ${available} of 100 left`, (t) =>
		t.is(bytesToFree({ capacityBytes: 1000, availableBytes: available * 10 }), want * 10));

test('imagesToRemove(): never what is new', (t) => {
	const uses = new Map([['a', { firstSeen: 10 * HOUR - 119_000, lastUsed: undefined }]]);
	t.deepEqual(imagesToRemove([image('a')], new Set(), uses, 1000, 10 * HOUR), []);
	t.deepEqual(imagesToRemove([image('a')], new Set(), uses, 1000, 10 * HOUR + 1000), [image('a')]);
});

test('a crash loop leaves one dead container, its log and its last words', async (t) => {
	const { node } = await playing({ script: () => ({ runMs: 0, exitCode: 1 }) });
	await using _ = node;
	await node.create('p');
	await node.advance(200_000);
	const uid = node.pod('p')?.metadata.uid ?? '';
	t.true(((await node.runtime.pod(uid))?.containers.length ?? 0) > 4);
	await mkdir(join(node.rootDir, 'pods', 'gone', 'volumes'), { recursive: true });
	for (const name of ['n_old_gone', `n_p_${uid}`, 'not-a-pod']) await mkdir(join(node.rootDir, 'logs', name, 'c'), { recursive: true });
	await new Collector({ context: node.context, workers: node.workers, known: () => true, event: () => {} }).collect(
		new AbortController().signal,
	);
	t.deepEqual(
		(await node.runtime.pod(uid))?.containers.map((c) => c.attempt),
		[5],
	);
	t.deepEqual(await readdir(join(node.rootDir, 'pods')), [uid]);
	t.deepEqual((await readdir(join(node.rootDir, 'logs'))).toSorted(), [`n_p_${uid}`, 'not-a-pod']);
	t.deepEqual(await readdir(join(node.rootDir, 'pods', uid, 'containers', 'c')), ['termination-5']);
	await node.advance(200_000);
	t.is(node.pod('p')?.status?.containerStatuses?.[0]?.restartCount, 6, 'the count goes on');
});

test('a container that cannot be removed keeps nothing else from being cleaned up', async (t) => {
	const { node } = await playing({ script: () => ({ runMs: 0, exitCode: 1 }) });
	await using _ = node;
	for (const name of ['a', 'b']) await node.create(name);
	await node.advance(200_000);
	await mkdir(join(node.rootDir, 'pods', 'gone', 'volumes'), { recursive: true });
	const held = node.pod('a')?.metadata.uid ?? '';
	const { removeContainer } = node.runtime;
	const ids = (await node.runtime.pod(held))?.containers.map(({ id }) => id) ?? [];
	node.runtime.removeContainer = (id, ...rest) =>
		ids.includes(id) ? Promise.reject(new Error('in use')) : removeContainer.call(node.runtime, id, ...rest);
	const collector = new Collector({ context: node.context, workers: node.workers, known: () => true, event: () => {} });
	await t.notThrowsAsync(collector.collect(new AbortController().signal));
	t.is((await node.runtime.pod(node.pod('b')?.metadata.uid ?? ''))?.containers.length, 1);
	t.false((await readdir(join(node.rootDir, 'pods'))).includes('gone'));
});

test('a driver that does not answer keeps nothing else from being cleaned up', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const containerLogsDir = join(node.rootDir, 'links');
	await mkdir(containerLogsDir);
	await symlink(join(node.rootDir, 'gone.log'), join(containerLogsDir, 'gone.log'));
	const answer = Promise.withResolvers<void>();
	Object.assign(node.context.options, { containerLogsDir });
	node.context.dra.claims.keep = () => answer.promise;
	const collector = new Collector({ context: node.context, workers: node.workers, known: () => true, event: () => {} });
	const collecting = collector.collect(new AbortController().signal);
	await eventually('the link gone', async () => (await readdir(containerLogsDir)).length === 0);
	answer.resolve();
	await t.notThrowsAsync(collecting);
});

const line = (text: string): string => `2026-01-01T00:00:00.000000000Z stdout F ${text}\n`;

test('a log is rotated: four old ones at most, all but the newest compressed', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-rotate-'));
	const path = join(folder, '0.log');
	for (let i = 0; i < 7; i++) {
		await writeFile(path, line(`round ${i}`));
		t.true(await rotateLog(path, { maxBytes: 10, maxFiles: 5 }, Date.UTC(2026, 0, 1, 0, 0, i), () => writeFile(path, '')));
	}
	t.false(await rotateLog(path, { maxBytes: 10, maxFiles: 5 }, 0, () => Promise.reject(new Error('not called'))));
	const names = ['0.log', '0.log.20260101-000003.gz', '0.log.20260101-000004.gz', '0.log.20260101-000005.gz', '0.log.20260101-000006'];
	t.deepEqual((await readdir(folder)).toSorted(), names);
	t.is(gunzipSync(await readFile(join(folder, '0.log.20260101-000005.gz'))).toString(), line('round 5'));
	await rm(folder, { recursive: true });
});

test('a log whose reopening fails keeps its name', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-rotate-'));
	const path = join(folder, '0.log');
	await writeFile(path, line('x'));
	await t.throwsAsync(rotateLog(path, { maxBytes: 1, maxFiles: 5 }, 0, () => Promise.reject(new Error('no'))));
	t.deepEqual(await readdir(folder), ['0.log']);
	await rm(folder, { recursive: true });
});

test('a reader that follows goes on in the new file and misses nothing', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-follow-'));
	const path = join(folder, '0.log');
	await writeFile(path, line('1'));
	const steps = [
		async () => {
			await appendFile(path, line('2'));
			await rename(path, `${path}.old`);
			await appendFile(`${path}.old`, line('3'));
		},
		() => writeFile(path, line('4')),
		() => appendFile(path, line('5')),
	];
	const running = async (): Promise<boolean> => {
		await steps.shift()?.();
		return steps.length > 0;
	};
	const options = {
		...{ follow: true, previous: false, timestamps: false, stream: undefined },
		since: undefined,
		tailLines: undefined,
		limitBytes: undefined,
	};
	const chunks: Buffer[] = [];
	for await (const chunk of readLog({ path, clock: realClock, running }, options, new AbortController().signal))
		chunks.push(Buffer.from(chunk));
	t.is(Buffer.concat(chunks).toString(), '1\n2\n3\n4\n5\n');
	await rm(folder, { recursive: true });
});

test('logLinkName(): as long as a file name may be', (t) => {
	const pod = { metadata: { name: 'p', namespace: 'n' } };
	t.is(logLinkName(pod, 'c', 'id'), 'p_n_c-id.log');
	const long = logLinkName({ metadata: { name: 'x'.repeat(250), namespace: 'n' } }, 'c', 'id');
	t.is(long.length, 255);
	t.true(long.endsWith('.log'));
});

test('links to logs go with the logs', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-links-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const [links, log] = [join(folder, 'links'), join(folder, '0.log')];
	await writeFile(log, '');
	await linkLog(links, 'a.log', log);
	await linkLog(links, 'a.log', log);
	await linkLog(links, 'b.log', join(folder, 'gone.log'));
	await writeFile(join(links, 'file'), '');
	await removeDeadLinks(links);
	t.deepEqual((await readdir(links)).toSorted(), ['a.log', 'file']);
	t.is(await readlink(join(links, 'a.log')), log);
	await removeDeadLinks(join(folder, 'none'));
});

test('oldImages(): those that nothing has used for so long; pinned ones stay', (t) => {
	const uses = new Map([
		['used', { firstSeen: 0, lastUsed: 9 * HOUR }],
		['unused', { firstSeen: 0, lastUsed: undefined }],
		['pinned', { firstSeen: 0, lastUsed: undefined }],
		['running', { firstSeen: 0, lastUsed: 0 }],
	]);
	const images = [image('used'), image('unused'), image('pinned', { pinned: true }), image('running'), image('unknown')];
	const old = oldImages(images, new Set(['running']), uses, 10 * HOUR, { minAgeMs: 1000, maxAgeMs: 2 * HOUR });
	t.deepEqual(
		old.map((i) => i.id),
		['unused'],
	);
});

test('an image that a container has as a volume is not removed', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	const removed: string[] = [];
	const pods = await node.runtime.pods();
	Object.assign(node.runtime, {
		images: async () => [image('mounted'), image('unused')],
		removeImage: async (id: string) => void removed.push(id),
		pods: async () => pods.map((pod) => ({ ...pod, containers: pod.containers.map((c) => ({ ...c, volumeImages: ['mounted'] })) })),
	});
	const collector = new ImageCollector(node.context, () => {});
	await collector.removeUnused(new AbortController().signal);
	await node.advance(10 * 60_000);
	await collector.removeUnused(new AbortController().signal);
	t.deepEqual(removed, ['unused']);
});

test('an image that cannot be removed keeps no other, and is told of', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const removed: string[] = [];
	Object.assign(node.runtime, {
		images: async () => [image('held'), image('other')],
		removeImage: async (id: string) => (id === 'held' ? Promise.reject(new Error('image is in use')) : void removed.push(id)),
	});
	const collector = new ImageCollector(node.context, () => {});
	const { signal } = new AbortController();
	await collector.collect(signal, { capacityBytes: 1000, availableBytes: 900 });
	await node.advance(120_000);
	const message = 'wanted to free 100 bytes, but freed 100 bytes space with errors in image deletion: image is in use';
	await t.throwsAsync(collector.collect(signal, { capacityBytes: 1000, availableBytes: 100 }), { message });
	t.deepEqual(removed, ['other']);
});

test('bytesText(): as upstream prints a size', (t) =>
	t.deepEqual([1023, 1024, 1536 * 1024, 2.25 * 2 ** 30, 2 ** 41].map(bytesText), ['1023 B', '1.0 KiB', '1.5 MiB', '2.3 GiB', '2.0 TiB']));

test('a disk of images that stays full is told of, and one that has no size', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const events: string[] = [];
	const collector = new ImageCollector(node.context, (_type, reason, message) => void events.push(`${reason}: ${message}`));
	const { signal } = new AbortController();
	await collector.collect(signal, { capacityBytes: 1000, availableBytes: 500 });
	await t.throwsAsync(collector.collect(signal, { capacityBytes: 1000, availableBytes: 100 }));
	await t.throwsAsync(collector.collect(signal, { capacityBytes: 0, availableBytes: 0 }));
	t.deepEqual(events, [
		"FreeDiskSpaceFailed: Insufficient free disk space on the node's image filesystem (90% of 1000 B used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
		'InvalidDiskCapacity: invalid capacity 0 on image filesystem',
	]);
});
