/** A container registry in memory, on a free port of 127.0.0.1: one small image by any name, credentials where asked for, and layers that come slowly or not at all. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { tar } from '../../cri/images/tar.ts';

export interface FakeRegistryOptions {
	/** "user:password"; anybody may pull unless given. */
	readonly credentials?: string;
	/** Sends half of the layer, and the rest when this resolves. */
	readonly hold?: Promise<void>;
	readonly user?: string;
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const digestOf = (data: Buffer): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

export class FakeRegistry implements AsyncDisposable {
	readonly #options: FakeRegistryOptions;
	readonly #server = createServer((request, response) => void this.#answer(request, response));
	readonly #blobs = new Map<string, Buffer>();
	readonly #manifest: Buffer;
	#port = 0;

	private constructor(content: string, options: FakeRegistryOptions) {
		this.#options = options;
		const archive = tar([{ name: 'file', mode: 0o644, data: Buffer.from(content) }]);
		const layer = gzipSync(archive);
		const config = Buffer.from(
			JSON.stringify({
				architecture: process.arch === 'x64' ? 'amd64' : process.arch,
				os: 'linux',
				config: { Cmd: ['/file'], User: options.user ?? '' },
				rootfs: { type: 'layers', diff_ids: [digestOf(archive)] },
			}),
		);
		for (const blob of [layer, config]) this.#blobs.set(digestOf(blob), blob);
		const described = (blob: Buffer, mediaType: string): object => ({ mediaType, size: blob.length, digest: digestOf(blob) });
		this.#manifest = Buffer.from(
			JSON.stringify({
				schemaVersion: 2,
				mediaType: MANIFEST,
				config: described(config, 'application/vnd.docker.container.image.v1+json'),
				layers: [described(layer, 'application/vnd.docker.image.rootfs.diff.tar.gzip')],
			}),
		);
	}

	/** Images of the same content are the same image. */
	static async start(content: string, options: FakeRegistryOptions = {}): Promise<FakeRegistry> {
		const registry = new FakeRegistry(content, options);
		await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
		registry.#port = (registry.#server.address() as AddressInfo).port;
		return registry;
	}

	/** What pulls name: "127.0.0.1:PORT". */
	get address(): string {
		return `127.0.0.1:${this.#port}`;
	}
	get digest(): string {
		return digestOf(this.#manifest);
	}

	async #answer({ url = '', headers, method }: IncomingMessage, response: ServerResponse): Promise<void> {
		const { credentials, hold } = this.#options;
		if (credentials !== undefined && headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`) {
			response.writeHead(401, { 'www-authenticate': 'Basic realm="fake"', 'content-type': 'application/json' });
			return void response.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
		}
		if (url === '/v2/') return void response.end('{}');
		const manifest = /\/manifests\/(.+)$/.exec(url);
		const blob = this.#blobs.get(/\/blobs\/(sha256:[0-9a-f]+)$/.exec(url)?.[1] ?? '');
		if (manifest === null && blob === undefined) {
			response.writeHead(404, { 'content-type': 'application/json' });
			return void response.end('{"errors":[{"code":"NAME_UNKNOWN","message":"repository name not known to registry"}]}');
		}
		const body = blob ?? this.#manifest;
		const type = blob === undefined ? MANIFEST : 'application/octet-stream';
		response.writeHead(200, { 'content-type': type, 'content-length': body.length, 'docker-content-digest': digestOf(body) });
		if (method === 'HEAD') return void response.end();
		if (blob === undefined || hold === undefined || blob.includes('"rootfs"')) return void response.end(body);
		response.write(body.subarray(0, body.length >> 1));
		await hold;
		response.end(body.subarray(body.length >> 1));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}
}
