/** Images without an engine: names, pulls that stand still, what layers use. */
import { lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'ava';
import { AppError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Engine } from '../engine/engine.ts';
import { ImageConfigs } from './image-configs.ts';
import { ImageFilesystem } from './image-filesystem.ts';
import { ImageVolumes } from './image-volumes.ts';
import { inspectImage, isReference } from './inspect.ts';
import { layerFolders } from './layers.ts';
import { followPull, pullError } from './pull-progress.ts';
import { tar, untarFirst } from './tar.ts';

for (const [reference, want] of [
	['busybox', true],
	['registry.k8s.io:5000/a/b:1.2-3_x@sha256:0123456789abcdef', true],
	['sha256:0123456789abcdef', true],
	['', false],
	['../containers/abc', false],
	['a/../../info', false],
	['http://x', false],
	['a/./b', false],
	['a?all=1', false],
	['a b', false],
	['a%2f..', false],
	['a\nb', false],
] as const)
	test(`image name: ${JSON.stringify(reference)} ${want ? 'can be one' : 'is none'}`, (t) => t.is(isReference(reference), want));

for (const [code, said, want] of [
	['NotFound', 'No such image: x', 'gone'],
	['Unknown', 'layer does not exist', 'gone'],
	['Unknown', 'unrecognized image ID sha256:12', 'gone'],
	['Unknown', 'database is locked', 'thrown'],
	['Unavailable', 'Cannot reach Docker Engine', 'thrown'],
] as const)
	test(`an image that is being removed is no more: the engine says "${said}"`, async (t) => {
		const engine = { call: () => Promise.reject(new AppError(code, said)) } as unknown as Engine;
		const looked = inspectImage(engine, 'x');
		if (want === 'gone') t.is(await looked, undefined);
		else await t.throwsAsync(looked, { code, message: said });
	});

test('an image is looked up once by its id, and every time by a name, which may come to mean another', async (t) => {
	const asked: string[] = [];
	const engine = {
		call: async ({ path }: { path: string }) => {
			asked.push(path);
			return { Id: `sha256:${asked.length}`, Config: null };
		},
	} as unknown as Engine;
	const images = new ImageConfigs(engine);
	const signal = new AbortController().signal;
	t.is((await images.image('app:1', signal)).Id, 'sha256:1');
	t.is((await images.image('sha256:1', signal)).Id, 'sha256:1');
	t.is((await images.image('app:1', signal)).Id, 'sha256:2');
	t.deepEqual(asked, ['/images/app:1/json', '/images/app:1/json']);
});

test('what is kept of an image is what the last look at it said: its names change, and it may go', async (t) => {
	let names: readonly string[] | undefined = ['app@sha256:a'];
	const engine = {
		call: async () => {
			if (names === undefined) throw new AppError('NotFound', 'No such image');
			return { Id: 'sha256:1', RepoDigests: names, Config: { User: 'web' } };
		},
	} as unknown as Engine;
	const images = new ImageConfigs(engine);
	const signal = new AbortController().signal;
	const digests = async (): Promise<readonly string[] | null> => (await images.image('sha256:1', signal)).RepoDigests;
	t.deepEqual(await digests(), ['app@sha256:a']);
	names = ['other@sha256:b'];
	await images.look('other:1', signal);
	t.deepEqual(await digests(), ['other@sha256:b']);
	names = undefined;
	t.is(await images.user('sha256:1', signal), '');
	images.forget('sha256:1');
	await t.throwsAsync(digests, { code: 'NotFound' });
	names = ['app@sha256:c'];
	t.deepEqual(await digests(), ['app@sha256:c']);
	t.is(await images.user('sha256:1', signal), 'web', 'of an image that was gone nothing is kept');
	names = undefined;
	t.is(await images.look('sha256:1', signal), undefined);
	await t.throwsAsync(digests, { code: 'NotFound' });
});

test('a pull may take for ever while it moves, and is given up when it stands still', async (t) => {
	const clock = new VirtualClock();
	const stream = new Readable({ read: () => {} });
	let asked: AbortSignal | undefined;
	const begin = async (signal: AbortSignal): Promise<Readable> => {
		asked = signal;
		signal.addEventListener('abort', () => stream.destroy(new Error('gone')), { once: true });
		return stream;
	};
	const pull = followPull('slow', begin, { clock, timeoutMs: 60_000, signal: new AbortController().signal });
	const over = t.throwsAsync(pull, { code: 'DeadlineExceeded', message: /nothing moved for 60 s/ });
	for (let i = 0; i < 10; i++) {
		stream.push(`{"status":"Downloading","progressDetail":{"current":${i}}}\n`);
		await new Promise((resolve) => setImmediate(resolve));
		await clock.advance(50_000);
		t.false(asked?.aborted);
	}
	await clock.advance(20_000);
	await over;
});

test('a failure that the stream tells of is the failure of the pull', async (t) => {
	const begin = async (): Promise<Readable> => Readable.from([Buffer.from('{"status":"x"}\n{"error":"manifest unknown"}\n')]);
	const bounds = { clock: new VirtualClock(), timeoutMs: 1000, signal: new AbortController().signal };
	await t.throwsAsync(followPull('x', begin, bounds), { code: 'NotFound', message: 'Cannot pull image "x": manifest unknown' });
});

for (const [text, code] of [
	['pull access denied for x, repository does not exist', 'NotFound'],
	['unauthorized: authentication required', 'PermissionDenied'],
	['Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused', 'Unavailable'],
	['something else', 'Unknown'],
] as const)
	test(`a registry's refusal: ${text}`, (t) => t.is(pullError('x', text).code, code));

test("layers count once each, by the engine's records; a layer that is being made is left out", async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-layers-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	const record = join(root, 'image/overlay2/layerdb/sha256');
	for (const [id, size] of [
		['a', 100],
		['b', 23],
	] as const) {
		await mkdir(join(record, id), { recursive: true });
		await mkdir(join(root, `overlay2/cache-${id}/diff/sub`), { recursive: true });
		await writeFile(join(root, `overlay2/cache-${id}/diff/sub/file`), '');
		await writeFile(join(record, id, 'size'), String(size));
		await writeFile(join(record, id, 'cache-id'), `cache-${id}`);
	}
	await mkdir(join(record, 'unfinished'));
	const images = new ImageFilesystem(root, 'overlay2');
	t.is((await images.usage())?.bytes, 123n);
	await images.counted();
	t.deepEqual(await images.usage(), { bytes: 123n, inodes: 4n });
	await rm(join(record, 'a'), { recursive: true });
	t.deepEqual(await images.usage(), { bytes: 23n, inodes: 2n });
	t.is(await new ImageFilesystem(root, 'btrfs').usage(), undefined);
});

test('layers as folders: highest first, and only of the driver that keeps them so', (t) => {
	const Data = { UpperDir: '/o/top/diff', LowerDir: '/o/b/diff:/o/a/diff' };
	t.deepEqual(layerFolders({ GraphDriver: { Name: 'overlay2', Data } }), ['/o/top/diff', '/o/b/diff', '/o/a/diff']);
	t.deepEqual(layerFolders({ GraphDriver: { Name: 'overlay2', Data: { UpperDir: '/o/top/diff' } } }), ['/o/top/diff']);
	t.is(layerFolders({ GraphDriver: { Name: 'overlayfs', Data: null } }), undefined);
	t.is(layerFolders({}), undefined);
});

test('the first file of an archive', (t) => {
	const data = Buffer.from('x'.repeat(700));
	t.deepEqual(untarFirst(tar([{ name: 'etc/passwd', mode: 0o644, data }])), data);
	t.is(untarFirst(Buffer.alloc(0)).length, 0);
});

test('image volumes: a folder that cannot be read is not taken for an empty one', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-image-volumes-'));
	try {
		await t.notThrowsAsync(new ImageVolumes(join(dir, 'none')).collect(new Set()));
		const file = join(dir, 'file');
		await writeFile(file, '');
		await t.throwsAsync(new ImageVolumes(file).collect(new Set()), { code: 'ENOTDIR' });
		// The system's answer for this one is an error, whoever asks.
		const folder = join(dir, 'folder');
		await mkdir(folder);
		const owner = join(folder, 'owner');
		await symlink(owner, owner);
		await t.throwsAsync(new ImageVolumes(folder).collect(new Set()), { code: 'ELOOP' });
		t.true((await lstat(owner)).isSymbolicLink());
		await rm(owner);
		// No folder: nothing can be mounted below it.
		await writeFile(owner, '');
		await new ImageVolumes(folder).collect(new Set());
		await t.throwsAsync(lstat(owner), { code: 'ENOENT' });
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
});
