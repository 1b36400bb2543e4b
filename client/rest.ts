/** The Client over any Transport: verbs to requests, answers to objects or StatusErrors. Bodies are JSON. */
import { parseJson } from '../api/codec/json-text.ts';
import type { ListMeta } from '../api/gen/types.ts';
import { apiVersionOf, keyOf, type Key, type KubeObject, type Resource } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import { AppError } from '../base/errors.ts';
import type { CallOptions, Client, DeleteOptions, List, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from './client.ts';
import { lines, readText } from '../base/lines.ts';
import { errorOf } from './status-answer.ts';
import { pathOf, pathOfKey, queryOf, type QueryValue } from './paths.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import type { SentEvent } from './watch-event.ts';

export interface RestOptions {
	/** The User-Agent, whose part before "/" the server takes for the default field manager; "kubeling" unless told. */
	readonly userAgent?: string;
	/** Told of every `Warning` the server sends. */
	readonly onWarning?: (text: string) => void;
}

const JSON_TYPE = 'application/json';

/** The media type of each kind of patch. */
const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
	merge: 'application/merge-patch+json',
	strategic: 'application/strategic-merge-patch+json',
	json: 'application/json-patch+json',
	apply: 'application/apply-patch+yaml',
};

/** A typed client on a transport. */
export function createClient(transport: Transport, options: RestOptions = {}): Client {
	return new RestClient(transport, options);
}

/** Never aborts: for calls without a signal. */
const NEVER = new AbortController().signal;

class RestClient implements Client {
	readonly transport: Transport;
	readonly #options: RestOptions;

	constructor(transport: Transport, options: RestOptions) {
		this.transport = transport;
		this.#options = options;
	}

	as(userAgent: string): Client {
		return new RestClient(this.transport, { ...this.#options, userAgent });
	}

	get<T extends KubeObject>(resource: Resource<T>, key: Key, options: CallOptions = {}): Promise<T> {
		return this.#call<T>({ method: 'GET', path: pathOfKey(resource, key, options.subresource) }, options.signal);
	}

	async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<List<T>> {
		const path = pathOf(resource, where(options)) + queryOf(listQuery(options));
		const list = await this.#call<{ metadata?: ListMeta; items?: T[] | null }>({ method: 'GET', path }, options.signal);
		const items = list.items ?? [];
		// The items of a typed list leave out what the list says for all.
		for (const item of items) if (item.kind === undefined) Object.assign(item, { apiVersion: apiVersionOf(resource), kind: resource.kind });
		return { metadata: list.metadata ?? {}, items };
	}

	async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void> {
		for await (const batch of this.watchBatches(resource, options)) yield* batch;
	}

	async *watchBatches<T extends KubeObject>(
		resource: Resource<T>,
		options: WatchOptions = {},
	): AsyncGenerator<readonly WatchEvent<T>[], void> {
		const { allowWatchBookmarks, sendInitialEvents, timeoutSeconds } = options;
		const query = queryOf({ watch: true, ...listQuery(options), allowWatchBookmarks, sendInitialEvents, timeoutSeconds });
		const request = { method: 'GET', path: pathOf(resource, where(options)) + query, takesEvents: true } as const;
		const { status, body, events } = await this.#send(request, options.signal);
		// What the path names is of this type.
		if (events !== undefined) for await (const batch of events) yield* told(batch as readonly SentEvent<T>[]);
		else for await (const line of lines(body)) yield* told([parse<SentEvent<T>>(line, status)]);
	}

	create<T extends KubeObject, R extends object = T>(
		resource: Resource<T>,
		object: object,
		options: WriteOptions & { readonly key?: Key } = {},
	): Promise<R> {
		const metadata = (object as Partial<KubeObject>).metadata ?? {};
		const path =
			options.subresource === undefined
				? pathOf(resource, metadata.namespace === undefined ? {} : { namespace: metadata.namespace })
				: pathOfKey(resource, options.key ?? keyOf({ metadata }), options.subresource);
		const body = options.subresource === undefined ? typed(resource, object) : object;
		return this.#call<R>(json('POST', path + queryOf(writeQuery(options)), body), options.signal);
	}

	update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
		const path = pathOfKey(resource, keyOf(object), options.subresource) + queryOf(writeQuery(options));
		return this.#call<T>(json('PUT', path, options.subresource === undefined ? typed(resource, object) : object), options.signal);
	}

	patch<T extends KubeObject>(resource: Resource<T>, key: Key, patch: Patch, options: WriteOptions = {}): Promise<T> {
		const force = patch.type === 'apply' ? patch.force : undefined;
		const path = pathOfKey(resource, key, options.subresource) + queryOf({ ...writeQuery(options), force });
		return this.#call<T>(json('PATCH', path, patch.body, PATCH_TYPES[patch.type]), options.signal);
	}

	async delete<T extends KubeObject>(resource: Resource<T>, key: Key, options: DeleteOptions = {}): Promise<void> {
		await this.#call<object>(json('DELETE', pathOfKey(resource, key, options.subresource), deleteBody(options)), options.signal);
	}

	async deleteCollection<T extends KubeObject>(resource: Resource<T>, options: ListOptions & DeleteOptions = {}): Promise<void> {
		const path = pathOf(resource, where(options)) + queryOf({ ...listQuery(options), resourceVersion: undefined });
		await this.#call<object>(json('DELETE', path, deleteBody(options)), options.signal);
	}

	async #call<R>(request: TransportRequest, signal: AbortSignal | undefined): Promise<R> {
		const response = await this.#send(request, signal);
		return parse<R>(await readText(response.body), response.status);
	}

	/** The answer of a request that succeeded; anything else is thrown. */
	async #send(request: TransportRequest, signal: AbortSignal = NEVER): Promise<TransportResponse> {
		const headers = { accept: JSON_TYPE, 'user-agent': this.#options.userAgent ?? 'kubeling', ...request.headers };
		const response = await this.transport.request({ ...request, headers }, signal);
		if (this.#options.onWarning !== undefined) for (const text of response.warnings) this.#options.onWarning(text);
		if (response.status >= 200 && response.status < 300) return response;
		throw errorOf(response.status, await readText(response.body), response.headers['retry-after']);
	}
}

/** What comes before the word that the watch has failed counts. */
function* told<T extends KubeObject>(batch: readonly SentEvent<T>[]): Generator<readonly WatchEvent<T>[], void> {
	const good = batch.filter((event) => event.type !== 'ERROR');
	if (good.length > 0) yield good;
	for (const event of batch) if (event.type === 'ERROR') throw new StatusError(event.object);
}

function parse<R>(text: string, status: number): R {
	try {
		return parseJson(text) as R;
	} catch (cause) {
		throw new AppError('Unavailable', `The API server's answer (HTTP status ${status}) is not valid JSON`, { cause });
	}
}

function json(method: TransportRequest['method'], path: string, body: unknown, type = JSON_TYPE): TransportRequest {
	return { method, path, headers: { 'content-type': type }, body: JSON.stringify(body) };
}

function typed(resource: Resource, object: object): object {
	return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function where(options: ListOptions | WatchOptions): { readonly namespace?: string; readonly subresource?: string } {
	const { namespace, subresource } = options;
	return { ...(namespace === undefined ? {} : { namespace }), ...(subresource === undefined ? {} : { subresource }) };
}

function listQuery(options: ListOptions): Record<string, QueryValue> {
	const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
	return { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion, resourceVersionMatch };
}

function writeQuery(options: WriteOptions): Record<string, QueryValue> {
	const { dryRun, fieldManager, fieldValidation } = options;
	return { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation };
}

/** The DeleteOptions of the API. */
function deleteBody(options: DeleteOptions): object {
	const { gracePeriodSeconds, propagationPolicy, uid, resourceVersion, dryRun } = options;
	const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
	return {
		apiVersion: 'v1',
		kind: 'DeleteOptions',
		gracePeriodSeconds,
		propagationPolicy,
		preconditions,
		dryRun: dryRun === true ? ['All'] : undefined,
	};
}
