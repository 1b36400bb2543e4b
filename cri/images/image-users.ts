/** The /etc/passwd and /etc/group of an image: read from its layers where the engine keeps them as folders here, else through the engine. Kept by image id. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, ignore } from '../../base/errors.ts';
import { Lru } from '../../base/lru.ts';
import type { UserFiles } from '../convert/user.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImageInspect } from '../engine/types.ts';
import { layerFolders } from './layers.ts';
import { untarFirst } from './tar.ts';

/** More users than that no image has; an image is a stranger's and must not fill the memory. */
const MAX_BYTES = 1024 * 1024;
/** Images whose files are kept. */
const MAX_KEPT = 200;

export class ImageUsers {
	readonly #engine: Engine;
	readonly #namePrefix: string;
	readonly #kept = new Lru<string, UserFiles>(MAX_KEPT);
	readonly #reading = new Map<string, Promise<UserFiles>>();

	/** What the shim's containers are called: one that a crash leaves is found by its name and goes. */
	constructor(engine: Engine, namePrefix: string) {
		this.#engine = engine;
		this.#namePrefix = namePrefix;
	}

	async files(image: ImageInspect): Promise<UserFiles> {
		const known = this.#kept.get(image.Id);
		if (known !== undefined) return known;
		const reading = this.#reading.get(image.Id) ?? this.#read(image).finally(() => this.#reading.delete(image.Id));
		this.#reading.set(image.Id, reading);
		const files = await reading;
		this.#kept.set(image.Id, files);
		return files;
	}

	async #read(image: ImageInspect): Promise<UserFiles> {
		const folders = layerFolders(image);
		if (folders !== undefined) {
			const found = await fromLayers(folders).catch(() => undefined);
			if (found !== undefined) return found;
		}
		return this.#fromContainer(image);
	}

	/** A container that is never started: the engine resolves paths inside it, links and all. */
	async #fromContainer(image: ImageInspect): Promise<UserFiles> {
		const body = { Image: image.Id, Cmd: ['-'], NetworkDisabled: true };
		const query = { name: `${this.#namePrefix}image-users_${image.Id.replace(/^.*:/, '').slice(0, 24)}` };
		const { Id } = await this.#engine.call<{ Id: string }>({ method: 'POST', path: '/containers/create', query, body });
		try {
			const [passwd, group] = [await this.#archive(Id, '/etc/passwd'), await this.#archive(Id, '/etc/group')];
			return { passwd, group };
		} finally {
			await this.#engine
				.call<undefined>({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: true } })
				.catch(ignore('NotFound'));
		}
	}

	async #archive(id: string, path: string): Promise<string> {
		const answer = await this.#engine
			.stream({ method: 'GET', path: `/containers/${id}/archive`, query: { path } })
			.catch(ignore('NotFound'));
		if (answer === undefined) return '';
		const chunks: Buffer[] = [];
		let size = 0;
		for await (const chunk of answer as AsyncIterable<Buffer>) {
			size += chunk.length;
			if (size > MAX_BYTES) throw tooLarge(path);
			chunks.push(chunk);
		}
		return untarFirst(Buffer.concat(chunks)).toString('utf8');
	}
}

/** Undefined where a link is in the way: an image could point anywhere on this host with it. */
async function fromLayers(folders: readonly string[]): Promise<UserFiles | undefined> {
	const [passwd, group] = [await topmost(folders, 'passwd'), await topmost(folders, 'group')];
	return passwd === undefined || group === undefined ? undefined : { passwd, group };
}

/** The file as the highest layer has it: "" where it is nowhere or was removed, undefined where it is no plain file in a plain folder. */
async function topmost(folders: readonly string[], name: string): Promise<string | undefined> {
	for (const folder of folders) {
		const etc = await lstat(join(folder, 'etc')).catch(() => undefined);
		if (etc === undefined) continue;
		if (etc.isCharacterDevice()) return '';
		if (!etc.isDirectory()) return undefined;
		const path = join(folder, 'etc', name);
		const found = await lstat(path).catch(() => undefined);
		if (found?.isCharacterDevice()) return ''; // overlay's mark of a removed file
		if (found !== undefined) return found.isFile() ? read(path) : undefined;
	}
	return '';
}

async function read(path: string): Promise<string> {
	await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
	const { size } = await file.stat();
	if (size > MAX_BYTES) throw tooLarge(path);
	return file.readFile('utf8');
}

function tooLarge(path: string): AppError {
	return new AppError('InvalidArgument', `The image's ${path} is larger than ${MAX_BYTES} bytes`);
}
