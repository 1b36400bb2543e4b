/** A Transport over FakeApi: reads, writes, list, watch and WatchList, with failures made to order. */
import type { Binding } from '../../api/gen/types.ts';
import type { KubeObject } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import { AppError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../client/transport.ts';
import { FakeApi, merged, refuse, type Change, type Matches } from './fake-api.ts';

export interface FakeRequest {
	readonly method: string;
	/** "/api/v1/pods", namespace left out. */
	readonly collection: string;
	readonly namespace: string | undefined;
	readonly name: string | undefined;
	readonly subresource: string | undefined;
	readonly query: URLSearchParams;
	readonly body: unknown;
	readonly contentType: string | undefined;
}

export class FakeTransport implements Transport {
	readonly api: FakeApi;
	/** Every request so far. */
	readonly requests: FakeRequest[] = [];
	/** False: sendInitialEvents is answered with 422, as by a server without WatchList. */
	watchList = true;
	/** Plain discovery, by "certificates.k8s.io/v1beta1": plurals; 404 for others. */
	readonly discovery = new Map<string, readonly string[]>();
	/** Throws in the place of an answer: a StatusError becomes one, anything else means that none came. */
	intercept: (request: FakeRequest) => void | Promise<void> = () => {};
	readonly #streams = new Set<Stream>();

	constructor(clock: Clock) {
		this.api = new FakeApi(clock);
	}

	/** Ends all watches, as a server does from time to time; with an error as a broken connection does. */
	closeWatches(error?: Error): void {
		for (const stream of this.#streams) stream.end(error);
	}

	get watches(): number {
		return this.#streams.size;
	}

	async request(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
		signal.throwIfAborted();
		const parsed = parseRequest(request);
		this.requests.push(parsed);
		try {
			await this.intercept(parsed);
			signal.throwIfAborted();
			if (parsed.query.get('watch') === 'true') return answer(200, this.#watch(parsed, signal));
			return answer(parsed.method === 'POST' ? 201 : 200, [this.#answer(parsed)]);
		} catch (error) {
			if (error instanceof StatusError) return answer(error.httpCode, [error.status]);
			throw error;
		}
	}

	upgrade(): Promise<never> {
		return Promise.reject(new AppError('Unimplemented', 'The fake transport has no upgrades'));
	}

	close(): Promise<void> {
		this.closeWatches();
		return Promise.resolve();
	}

	#answer(r: FakeRequest): unknown {
		const { api } = this;
		if (r.collection.endsWith('/')) return this.#discovered(r.collection.split('/').slice(2, -1).join('/'));
		if (r.method === 'POST' && r.subresource === 'binding') return this.#bind(r);
		if (r.name === undefined) {
			if (r.method === 'POST') return api.create(r.collection, r.body as KubeObject, r.namespace);
			const limit = Number(r.query.get('limit') ?? 0);
			const all = api.list(r.collection, matcher(r));
			const from = Number(r.query.get('continue') ?? 0);
			const more = limit > 0 && from + limit < all.length;
			const metadata = { resourceVersion: String(api.version), ...(more ? { continue: String(from + limit) } : {}) };
			return { kind: 'List', metadata, items: limit > 0 ? all.slice(from, from + limit) : all };
		}
		const key = r.namespace === undefined ? r.name : `${r.namespace}/${r.name}`;
		if (r.method === 'GET') return api.get(r.collection, key);
		if (r.method === 'PUT') return api.update(r.collection, key, r.body as KubeObject);
		if (r.method === 'PATCH') return api.update(r.collection, key, merged(api.get(r.collection, key), r.body) as KubeObject);
		if (r.method === 'DELETE')
			return api.delete(r.collection, key, (r.body as { preconditions?: { uid?: string } } | undefined)?.preconditions?.uid);
		throw refuse(405, 'MethodNotAllowed', `${r.method} is not supported`);
	}

	#discovered(groupVersion: string): unknown {
		const names = this.discovery.get(groupVersion);
		if (names === undefined) throw refuse(404, 'NotFound', 'the server could not find the requested resource');
		return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: names.map((name) => ({ name })) };
	}

	#bind(r: FakeRequest): unknown {
		const key = `${r.namespace}/${r.name}`;
		const pod = structuredClone(this.api.get(r.collection, key)) as KubeObject & { spec?: { nodeName?: string } };
		if (pod.spec?.nodeName !== undefined) throw refuse(409, 'Conflict', `pod ${r.name} is already assigned to node "${pod.spec.nodeName}"`);
		pod.spec = { ...pod.spec, nodeName: (r.body as Binding).target.name ?? '' };
		this.api.update(r.collection, key, pod);
		return { kind: 'Status', status: 'Success' };
	}

	#watch(r: FakeRequest, signal: AbortSignal): AsyncIterable<unknown> {
		const matches = matcher(r);
		const initial = r.query.get('sendInitialEvents') === 'true';
		if (initial && !this.watchList) throw refuse(422, 'Invalid', 'sendInitialEvents: Forbidden');
		const stream = new Stream();
		const from = r.query.get('resourceVersion') ?? '';
		if (initial || from === '' || from === '0') {
			for (const object of this.api.list(r.collection, matches)) stream.push({ type: 'ADDED', object });
			if (initial) stream.push(bookmark(this.api.version, { 'k8s.io/initial-events-end': 'true' }));
		} else for (const change of this.api.since(Number(from))) if (change.collection === r.collection) deliver(stream, change, matches);
		const watching = this.api.watch((change) => {
			if (change.collection === r.collection) deliver(stream, change, matches);
		});
		this.#streams.add(stream);
		const onAbort = (): void => stream.end(signal.reason as Error);
		signal.addEventListener('abort', onAbort, { once: true });
		stream.onEnd = () => {
			watching[Symbol.dispose]();
			signal.removeEventListener('abort', onAbort);
			this.#streams.delete(stream);
		};
		return stream;
	}
}

/** A transition in or out of the selection is an addition or a deletion to the watcher. */
function deliver(stream: Stream, change: Change, matches: Matches): void {
	const now = change.type !== 'DELETED' && matches(change.object);
	const before = change.before !== undefined && matches(change.before);
	if (now) stream.push({ type: before ? 'MODIFIED' : 'ADDED', object: change.object });
	else if (before) stream.push({ type: 'DELETED', object: change.object });
}

function bookmark(version: number, annotations: Record<string, string>): unknown {
	return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), annotations } } };
}

function matcher(r: FakeRequest): Matches {
	const terms = (name: string): readonly (readonly [string, string])[] =>
		(r.query.get(name) ?? '')
			.split(',')
			.filter((term) => term !== '')
			.map((term) => {
				const [path = '', value = ''] = term.split(/==?/);
				return [path, value];
			});
	const labels = terms('labelSelector');
	const fields = terms('fieldSelector');
	return (object) =>
		(r.namespace === undefined || object.metadata.namespace === r.namespace) &&
		labels.every(([label, value]) => object.metadata.labels?.[label] === value) &&
		fields.every(([path, value]) => (fieldAt(object, path) ?? '') === value);
}

function fieldAt(object: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined), object);
}

function parseRequest(request: TransportRequest): FakeRequest {
	const url = new URL(request.path, 'http://fake');
	const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
	const root = parts.splice(0, parts[0] === 'api' ? 2 : 3);
	const namespaced = parts[0] === 'namespaces' && parts.length > 2;
	const [, namespace] = namespaced ? parts.splice(0, 2) : [];
	const [plural = '', name, subresource] = parts;
	const text = request.body === undefined ? undefined : Buffer.from(request.body).toString('utf8');
	return {
		method: request.method,
		collection: `/${root.join('/')}/${plural}`,
		namespace,
		name,
		subresource,
		query: url.searchParams,
		body: text === undefined ? undefined : JSON.parse(text),
		contentType: request.headers?.['content-type'],
	};
}

function answer(status: number, body: Iterable<unknown> | AsyncIterable<unknown>): TransportResponse {
	return { status, headers: {}, warnings: [], body: encoded(body) };
}

async function* encoded(body: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void> {
	for await (const value of body) yield Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Values pushed in, taken out in order, until ended. */
class Stream implements AsyncIterable<unknown> {
	readonly #values: unknown[] = [];
	#ended: { readonly error: Error | undefined } | undefined;
	#wake: (() => void) | undefined;
	onEnd: () => void = () => {};

	push(value: unknown): void {
		this.#values.push(structuredClone(value));
		this.#wake?.();
	}

	end(error?: Error): void {
		this.#ended ??= { error };
		this.onEnd();
		this.#wake?.();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
		try {
			for (;;) {
				while (this.#values.length > 0) yield this.#values.shift();
				if (this.#ended !== undefined) {
					if (this.#ended.error !== undefined) throw this.#ended.error;
					return;
				}
				await new Promise<void>((resolve) => (this.#wake = resolve));
			}
		} finally {
			this.onEnd();
		}
	}
}
