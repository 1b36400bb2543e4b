/** The images that critest names, under their original names and with what its specs look for inside. Made once, kept in `.cache/tools`. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../tools/command.ts';
import { LAYERS, marker } from './rootfs.ts';
import { CACHE, exists } from '../../tools/cache.ts';

export interface TestImage {
	/** Names with tags, all of one image. */
	readonly names: readonly string[];
	/** Of LAYERS, lowest first; any other name is a layer with a file of that name. */
	readonly layers: readonly string[];
	readonly config?: Readonly<Record<string, unknown>>;
}

const E2E = 'registry.k8s.io/e2e-test-images';
const STAGING = 'gcr.io/k8s-staging-cri-tools';
/** As Go calls it. */
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

const NGINX = { Cmd: ['nginx'], StopSignal: 'SIGQUIT' };
const user = (name: string, who: string): TestImage => ({
	names: [`${STAGING}/test-image-user-${name}:latest`],
	layers: ['busybox'],
	config: { User: who },
});
const marked = (name: string, ...tags: readonly string[]): TestImage => ({
	names: tags.map((tag) => `${STAGING}/${name}:${tag}`),
	layers: ['busybox', `${name}-${tags.join('-')}`],
});

/** Pulled by its digest: critest names the digest of an image that nobody can make again; see critest.ts. */
export const DIGEST_IMAGE = `${STAGING}/test-image-digest`;

export const IMAGES: readonly TestImage[] = [
	{ names: [`${E2E}/busybox:1.29-2`], layers: ['busybox'] },
	{ names: [`${E2E}/nginx:1.14-2`], layers: ['busybox', 'nginx'], config: NGINX },
	{ names: [`${STAGING}/hostnet-nginx-${ARCHITECTURE}:latest`], layers: ['busybox', 'hostnet-nginx'], config: NGINX },
	{ names: [`${E2E}/httpd:2.4.39-4`], layers: ['busybox', 'httpd'], config: { Cmd: ['/usr/bin/serve'] } },
	{ names: [`${E2E}/nonewprivs:1.3`], layers: ['busybox', 'nonewprivs'], config: { Entrypoint: ['/nnp'] } },
	user('uid', '1002'),
	user('username', 'www-data'),
	user('uid-group', '1003:1004'),
	user('username-group', 'www-data:1004'),
	{ names: [`${STAGING}/test-image-predefined-group:latest`], layers: ['busybox', 'predefined-group'], config: { User: '1000' } },
	marked('test-image-1', 'latest'),
	marked('test-image-2', 'latest'),
	marked('test-image-3', 'latest'),
	marked('test-image-latest', 'latest'),
	marked('test-image-digest', 'latest'),
	marked('test-image-tag', 'test'),
	marked('test-image-tag', 'all'),
	marked('test-image-tags', '1', '2', '3'),
	// One image in two registries, and not the one that sandboxes run.
	{
		names: ['registry.k8s.io/pause:3.9', 'k8s.gcr.io/pause:3.9'],
		layers: ['pause', 'pause-3.9'],
		config: { Entrypoint: ['/pause'], Cmd: [] },
	},
];

/** A layer as a registry keeps it. */
export interface Layer {
	readonly path: string;
	/** Of the packed file. */
	readonly digest: string;
	readonly sizeBytes: number;
	/** Of the archive inside. */
	readonly diffId: string;
}

export const sha256 = (data: Buffer | string): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

/** Every layer that the images have, by name. Again whenever what they are made of changed. */
export async function layers(): Promise<ReadonlyMap<string, Layer>> {
	const sources = await Promise.all(['images.ts', 'rootfs.ts', 'tools.ts'].map((f) => readFile(join(import.meta.dirname, f))));
	const folder = join(CACHE, `critest-layers-${sha256(Buffer.concat(sources)).slice(7, 19)}`);
	await mkdir(folder, { recursive: true });
	const found = new Map<string, Layer>();
	for (const name of new Set(IMAGES.flatMap((image) => image.layers))) {
		const path = join(folder, `${name}.tar`);
		if (!(await exists(path))) await make(name, path);
		const [packed, archive] = await Promise.all([readFile(`${path}.gz`), readFile(path)]);
		found.set(name, { path: `${path}.gz`, digest: sha256(packed), sizeBytes: packed.length, diffId: sha256(archive) });
	}
	return found;
}

async function make(name: string, path: string): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-layer-'));
	try {
		await (LAYERS[name] ?? ((to: string) => marker(to, name)))(dir);
		const owner = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
		await must('tar', [...owner, '-C', dir, '-cf', `${path}.${process.pid}`, '.']);
		await writeFile(`${path}.gz`, (await import('node:zlib')).gzipSync(await readFile(`${path}.${process.pid}`), { level: 6 }));
		await rename(`${path}.${process.pid}`, path);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}
