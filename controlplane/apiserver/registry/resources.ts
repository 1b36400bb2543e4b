/** Serves the paths of resources: finds the kind, checks the method, and calls the verb. */
import type { ResourceRow } from '../../../api/resources.ts';
import { badRequest, methodNotAllowed, notFound, resourceNotFound, type StatusError } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse, Maybe, SubresourceHandler } from '../contracts.ts';
import { NOWHERE, type ResourceInfo } from '../request/request-info.ts';
import { listOptions } from '../request/options.ts';
import type { Parts } from './context.ts';
import { LIST_TYPES, LOG_TYPES, MEDIA_TYPES, negotiatePath, negotiateView } from '../answer/accept.ts';
import type { Kind, Kinds } from './kinds.ts';
import type { Target, Verb } from './verb.ts';
import { admitted } from './connect.ts';
import { readVerbs } from './read-verbs.ts';
import { scaleVerbs } from './scale.ts';
import { selection } from './selection.ts';
import { warnDeprecated } from './deprecated.ts';
import { patchType } from './patch-request.ts';
import { writeVerbs } from './write-verbs.ts';

const VERBS: Readonly<Record<string, Verb>> = { ...readVerbs, ...writeVerbs };

/** Of no group and version. */
const NO_ROOT = /^\/(?:\/|apis\/\/)/;
const EMPTY_SEGMENT = /\/\/+[^/]/;
const ON_ITEM = new Set(['get', 'update', 'patch', 'delete']);

export class Resources {
	readonly #parts: Parts;
	readonly #kinds: Kinds;
	readonly #deprecated: (kind: Kind, subresource: string) => void;
	readonly #handlers = new Map<string, SubresourceHandler>();

	/** @param deprecated told of requests for kinds that go away */
	constructor(
		parts: Parts,
		kinds: Kinds,
		handlers: readonly SubresourceHandler[],
		deprecated: (kind: Kind, subresource: string) => void = () => {},
	) {
		this.#deprecated = deprecated;
		this.#parts = parts;
		this.#kinds = kinds;
		for (const handler of handlers) this.#handlers.set(`${handler.group}/${handler.resource}/${handler.subresource}`, handler);
	}

	/** Whether there is such a resource, and such a subresource of it. */
	has({ group, version, resource, subresource }: ResourceInfo): boolean {
		const kind = this.#kinds.byPath(group, version, resource);
		return kind !== undefined && (subresource === '' || rowOf(kind, subresource) !== undefined);
	}

	/** Undefined: not served. */
	serve(info: ResourceInfo, request: ApiRequest): Maybe<ApiResponse> | undefined {
		const { group, resource, subresource, namespace, name, verb } = info;
		const kind = this.#kinds.byPath(group, info.version, resource);
		const isGapped = EMPTY_SEGMENT.test(request.path);
		const isNowhere = isGapped && kind?.resource.namespaced === true && NOWHERE.test(request.path);
		if (isNowhere && kind.custom === undefined && name !== '' && subresource === '' && ON_ITEM.has(verb))
			throw badRequest('Namespace parameter required.');
		// No route upstream has: what would be done there is not what was authorized.
		if (
			kind === undefined ||
			verb === 'proxy' ||
			NO_ROOT.test(request.path) ||
			(verb === 'watch' && subresource !== '') ||
			!isPlaced(kind, info)
		)
			return undefined;
		// What a proxy passes on may have any path.
		const isListed = isNowhere && (verb === 'list' || verb === 'watch') && !EMPTY_SEGMENT.test(request.path.replace('//', '/'));
		if (isGapped && subresource !== 'proxy' && !isListed) {
			if (kind.custom !== undefined) return undefined;
			throw resourceNotFound();
		}
		const { verbs = Object.keys(VERBS) } = kind.resource as Partial<ResourceRow>;
		const isEverywhere = kind.resource.namespaced && namespace === '';
		// What cannot be listed has no path without a namespace.
		if (isEverywhere && !verbs.includes('list')) throw resourceNotFound();
		// Of custom resources nothing else is there without a namespace.
		if (isEverywhere && kind.custom !== undefined && verb !== 'list' && verb !== 'watch') return undefined;
		if (isEverywhere && (verb === 'create' || verb === 'deletecollection')) throw methodNotAllowed();
		if (verb === 'watch' && request.method !== 'GET' && request.method !== 'HEAD')
			throw verbs.includes(verb) ? methodNotAllowed() : resourceNotFound();
		if (request.method === 'HEAD' && subresource !== 'proxy' && kind.custom === undefined) throw methodNotAllowed();
		const handler = this.#handlers.get(`${group}/${resource}/${subresource}`);
		const target: Target = { kind, namespace: kind.resource.namespaced ? namespace : '', name, subresource };
		if (subresource !== '') return this.#subresource(request, target, verb, info.rest, handler);
		if (name !== '' && !ON_ONE.some((one) => verbs.includes(one))) throw resourceNotFound();
		if (verb === 'watch' && !verbs.includes(verb)) throw this.#unwatched(kind, request, verbs);
		if (kind.custom !== undefined) checkCustom(request, kind, verb, name);
		else if (!isAllowed(verb, name, verbs)) throw methodNotAllowed();
		// A path takes no other types: nothing of its kind is heard either.
		if (verb === 'patch' && kind.custom === undefined) patchType(request, false);
		this.#accepting(request, kind, '', verb === 'list' || verb === 'watch' ? LIST_TYPES : MEDIA_TYPES);
		if (handler !== undefined) return this.#fresh(request, verb, () => handler.handle(request, { namespace, name, verb }));
		return this.#fresh(request, verb, () => (VERBS[verb] as Verb)(this.#parts, request, target));
	}

	/** A list may be asked to be watched, by a path that is there; paths of their own have what can be watched. */
	#unwatched(kind: Kind, request: ApiRequest, verbs: readonly string[]): StatusError {
		if (WATCH_PATH.test(request.path)) return resourceNotFound();
		if (!verbs.includes('list')) return methodNotAllowed();
		this.#remark(kind, '', request);
		const { labelSelector, fieldSelector } = listOptions(request.query, true);
		selection(kind, labelSelector, fieldSelector);
		return methodNotAllowed('watch', kind.resource);
	}

	/** Whoever accepts nothing that the path has hears nothing of its kind; whoever wants a view that there is none of does. */
	#accepting(request: ApiRequest, kind: Kind, subresource: string, types: readonly string[]): void {
		const custom = kind.custom !== undefined;
		negotiatePath(request, { custom, types });
		this.#remark(kind, subresource, request);
		negotiateView(request, { custom, tables: custom || !WITHOUT_ROWS.has(`${kind.resource.plural}/${subresource}`) });
	}

	/** What upstream has deprecated is said to who asks, to the metrics and to the audit log. */
	#remark(kind: Kind, subresource: string, { warn, audit }: ApiRequest): void {
		if (!warnDeprecated(kind, warn)) return;
		this.#deprecated(kind, subresource);
		audit?.annotate('k8s.io/deprecated', 'true');
	}

	/** Where others write to the store too, single objects are read and changed only once all that was acknowledged before is here. */
	#fresh(request: ApiRequest, verb: string, serve: () => Maybe<ApiResponse>): Maybe<ApiResponse> {
		const { store } = this.#parts;
		const anyVersion = verb === 'get' && request.query.get('resourceVersion') === '0';
		if (!store.shared || verb === 'list' || verb === 'watch' || anyVersion) return serve();
		return store.fresh(undefined, request.signal).then(serve);
	}

	#subresource(
		request: ApiRequest,
		target: Target,
		verb: string,
		rest: string,
		handler: SubresourceHandler | undefined,
	): Maybe<ApiResponse> {
		const { kind, subresource, namespace, name } = target;
		const row = rowOf(kind, subresource);
		// Whoever asks for what a custom resource has not hears of its version all the same.
		if (kind.custom !== undefined && row?.verbs.includes(verb) !== true) warnDeprecated(kind, request.warn);
		if (row === undefined && kind.custom !== undefined) throw notFound(kind.resource, name);
		if (row === undefined || (rest !== '' && subresource !== 'proxy')) throw resourceNotFound();
		// Proxies pass on whatever is asked by a method that upstream knows.
		if (subresource === 'proxy' ? verb === '' && request.method !== 'OPTIONS' : !row.verbs.includes(verb))
			throw kind.custom === undefined ? methodNotAllowed() : methodNotAllowed(verb, kind.resource);
		if (handler?.connect !== undefined)
			return this.#fresh(request, verb, async () => {
				const options = await admitted(this.#parts, request, target, handler.connect?.(request));
				return handler.handle(request, { namespace, name, verb, options });
			});
		if (CONNECTED.has(subresource)) this.#remark(kind, subresource, request);
		else this.#accepting(request, kind, subresource, subresource === 'log' ? LOG_TYPES : MEDIA_TYPES);
		if (handler !== undefined) return this.#fresh(request, verb, () => handler.handle(request, { namespace, name, verb }));
		const verbs = subresource === 'scale' ? scaleVerbs : VERBS;
		return this.#fresh(request, verb, () => (verbs[verb] as Verb)(this.#parts, request, target));
	}
}

function rowOf(kind: Kind, subresource: string): ResourceRow['rows'][number] | undefined {
	return (kind.resource as Partial<ResourceRow>).rows?.find((row) => row.name === subresource);
}

/** Whether the path has a namespace where the kind has one. A namespace is in no other than itself: rights within one reach no further. */
function isPlaced({ resource: { namespaced, plural } }: Kind, { namespace, name }: ResourceInfo): boolean {
	if (namespaced) return namespace !== '' || name === '';
	return namespace === '' || (plural === 'namespaces' && namespace === name);
}

/** Where none of these is to be had (reviews, bindings), there are no paths of single objects. */
const ON_ONE = ['get', 'update', 'patch', 'delete'];

/** Subresources that hand the connection on answer what they like. */
const CONNECTED = new Set(['proxy', 'exec', 'attach', 'portforward']);

/** Subresources of which upstream makes no rows. */
const WITHOUT_ROWS = new Set([
	'pods/log',
	'pods/ephemeralcontainers',
	'pods/resize',
	'namespaces/finalize',
	'certificatesigningrequests/approval',
	'resourceclaims/status',
	'customresourcedefinitions/status',
	'apiservices/status',
]);

const WATCH_PATH = /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//;

/** Paths of custom resources take every method: the verb sees whether it has the name that it is about, and making one asks for none. */
function checkCustom(request: ApiRequest, kind: Kind, verb: string, name: string): void {
	if (!Object.hasOwn(VERBS, verb)) throw methodNotAllowed(verb, kind.resource);
	if (verb === 'patch') patchType(request, true);
	if (name === '' && (verb === 'update' || verb === 'patch')) throw badRequest('name must be provided');
}

function isAllowed(verb: string, name: string, verbs: readonly string[]): boolean {
	if (!verbs.includes(verb) || !Object.hasOwn(VERBS, verb)) return verb === 'create' && verbs.includes('create') && name === '';
	const onCollection = verb === 'create' || verb === 'list' || verb === 'deletecollection';
	return verb === 'watch' || onCollection === (name === '');
}
