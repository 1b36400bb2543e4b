/** A registry of the suite's own: Debian's docker-registry on 127.0.0.1:80, which answers for the three names that critest pulls from. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../tools/eventually.ts';
import { Running } from '../../tools/command.ts';
import { IMAGES, layers, sha256, type Layer, type TestImage } from './images.ts';
import { debianPrograms } from './tools.ts';

export const REGISTRIES = ['registry.k8s.io', 'k8s.gcr.io', 'gcr.io'];
const ADDRESS = 'http://127.0.0.1:80';
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

/** Runs until disposed, serving all of IMAGES. Returns the digest of each image by its first name. */
export async function startRegistry(dir: string): Promise<{ readonly process: Running; readonly digests: ReadonlyMap<string, string> }> {
	const config = join(dir, 'registry.yml');
	await mkdir(join(dir, 'registry'), { recursive: true });
	await writeFile(
		config,
		`version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: ${join(dir, 'registry')}}}\nhttp: {addr: "127.0.0.1:80"}\n`,
	);
	const process_ = new Running(join(await debianPrograms(), 'usr/bin/docker-registry'), ['serve', config], process.env);
	await eventually('the registry answers', () =>
		fetch(`${ADDRESS}/v2/`).then(
			(answer) => answer.ok,
			() => false,
		),
	);
	const all = await layers();
	const digests = new Map<string, string>();
	for (const image of IMAGES) digests.set(image.names[0] ?? '', await push(image, all));
	return { process: process_, digests };
}

async function push(image: TestImage, all: ReadonlyMap<string, Layer>): Promise<string> {
	const used = image.layers.map((name) => all.get(name) as Layer);
	const config = JSON.stringify({
		architecture: process.arch === 'x64' ? 'amd64' : process.arch,
		os: 'linux',
		created: '2026-01-01T00:00:00Z',
		config: { Env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin'], Cmd: ['sh'], ...image.config },
		rootfs: { type: 'layers', diff_ids: used.map((l) => l.diffId) },
	});
	const manifest = JSON.stringify({
		schemaVersion: 2,
		mediaType: MANIFEST,
		config: { mediaType: 'application/vnd.docker.container.image.v1+json', size: config.length, digest: sha256(config) },
		layers: used.map((l) => ({ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', size: l.sizeBytes, digest: l.digest })),
	});
	for (const name of image.names) {
		const repository = name.slice(name.indexOf('/') + 1, name.lastIndexOf(':'));
		for (const layer of used) await upload(repository, layer.digest, await readFile(layer.path));
		await upload(repository, sha256(config), Buffer.from(config));
		await put(`${ADDRESS}/v2/${repository}/manifests/${name.slice(name.lastIndexOf(':') + 1)}`, Buffer.from(manifest), MANIFEST);
	}
	return sha256(manifest);
}

async function upload(repository: string, digest: string, data: Buffer): Promise<void> {
	if ((await fetch(`${ADDRESS}/v2/${repository}/blobs/${digest}`, { method: 'HEAD' })).ok) return;
	const begun = await fetch(`${ADDRESS}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
	const place = new URL(begun.headers.get('location') ?? '', ADDRESS);
	place.searchParams.set('digest', digest);
	await put(place.href, data, 'application/octet-stream');
}

async function put(url: string, body: Buffer, type: string): Promise<void> {
	const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(body), headers: { 'content-type': type } });
	if (!answer.ok) throw new Error(`PUT ${url}: ${answer.status} ${await answer.text()}`);
}
