/** Serves /api, /apis and everything below them that is no resource; documents are made once for each set of resources. */
import { createHash } from 'node:crypto';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { formatted } from '../answer/formats.ts';
import { onlyGet, refuseUnlisted } from '../answer/accept.ts';
import { refuseConversion, wantedForm, type Wanted } from './accept.ts';
import { aggregated } from './aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './documents.ts';
import { servedGroups, type AggregatedSource, type DiscoverySource, type ServedGroup, type ServedResource } from './source.ts';

interface Deps {
	readonly source: DiscoverySource;
	readonly aggregated: AggregatedSource;
	readonly codec: BodyCodec;
	/** "host:port", as told to clients by /api. */
	readonly serverAddress: string;
	/** Told when what is served is put together anew for whoever asks for all of it at once. */
	readonly aggregates?: (() => void) | undefined;
}

/** Everything derived from one set of resources. */
interface Documents {
	readonly resources: readonly ServedResource[];
	readonly revision: number;
	readonly groups: readonly ServedGroup[];
	/** Plain documents by path. */
	readonly plain: ReadonlyMap<string, object>;
	/** Aggregated ones by path and version, made when first asked for. */
	readonly aggregated: Map<string, { readonly body: Uint8Array; readonly etag: string }>;
}

/** "/api/v1", "/apis/apps/v1" */
const VERSIONED = /^\/api\/[^/]+$|^\/apis\/[^/]+\/[^/]+$/;
/** The one group that upstream does not put together from APIServices. */
const AGGREGATION = '/apis/apiregistration.k8s.io';

export class Discovery {
	readonly #deps: Deps;
	#documents: Documents | undefined;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** The handler of a discovery path; undefined for every other path. */
	route(path: string): Handler | undefined {
		const key = path.endsWith('/') ? path.slice(0, -1) : path;
		const document = this.#current().plain.get(key);
		if (document === undefined) return undefined;
		return (request) => Promise.resolve(this.#answer(request, key, document));
	}

	/** All paths that have a document. */
	paths(): readonly string[] {
		return [...this.#current().plain.keys()];
	}

	#current(): Documents {
		const resources = this.#deps.source.resources();
		const { revision } = this.#deps.aggregated;
		if (this.#documents?.resources === resources && this.#documents.revision === revision) return this.#documents;
		const groups = servedGroups(resources, this.#deps.aggregated);
		const plain = new Map<string, object>([
			['/api', apiVersions(this.#deps.serverAddress)],
			['/apis', apiGroupList(groups)],
		]);
		for (const group of groups) {
			if (group.name !== '') plain.set(`/apis/${group.name}`, apiGroup(group));
			for (const version of group.versions) {
				// Its server answers for itself.
				if (version.remote !== undefined) continue;
				const path = group.name === '' ? `/api/${version.version}` : `/apis/${group.name}/${version.version}`;
				plain.set(path, apiResourceList(group, version));
			}
		}
		this.#documents = { resources, revision, groups, plain, aggregated: new Map() };
		return this.#documents;
	}

	#answer(request: ApiRequest, path: string, document: object): ApiResponse {
		const accept = request.headers['accept'];
		// Lists of groups and groups are served past the framework that looks at this first.
		if (path === '/api' || path === AGGREGATION || VERSIONED.test(path)) {
			onlyGet(request);
			refuseUnlisted(accept);
		}
		// By its path with a slash, the list of groups has one form only.
		if ((path !== '/api' && path !== '/apis') || request.path === '/apis/') {
			refuseConversion(accept);
			return this.#deps.codec.write(request, 200, document);
		}
		const wanted = wantedForm(accept);
		if (wanted.form === 'aggregated') return this.#aggregated(request, path, wanted);
		return this.#deps.codec.write(request, 200, document);
	}

	#aggregated(request: ApiRequest, path: string, { version, mediaType }: Extract<Wanted, { form: 'aggregated' }>): ApiResponse {
		const documents = this.#current();
		const key = `${path} ${version} ${mediaType}`;
		let made = documents.aggregated.get(key);
		if (made === undefined) {
			// In whatever form, it is the same.
			if (documents.aggregated.size === 0) this.#deps.aggregates?.();
			const groups = documents.groups.filter((g) => (g.name === '') === (path === '/api'));
			const body = formatted(aggregated(groups, version), mediaType, false);
			made = { body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` };
			documents.aggregated.set(key, made);
		}
		const headers = { vary: 'Accept', etag: made.etag, 'cache-control': 'public' };
		if (request.headers['if-none-match'] === made.etag) return { type: 'bytes', status: 304, headers, body: new Uint8Array() };
		const type = `${mediaType};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
		return { type: 'bytes', status: 200, headers: { 'content-type': type, ...headers }, body: made.body };
	}
}
