/** What aggregated servers publish as OpenAPI: asked for when somebody wants the documents, and again after a minute. */
import type { APIService } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Additions, DocumentAddress } from '../../../api/openapi/documents.ts';
import type { RemoteAnswer, RemoteServer } from './remote-server.ts';

type Service = APIService & KubeObject;

interface Deps {
	/** Those that can be asked. */
	readonly available: () => readonly Service[];
	readonly server: RemoteServer;
	readonly clock: Clock;
}

interface Kept {
	readonly at: number;
	readonly etag: string;
	readonly body: unknown;
}

const KEPT_MS = 60_000;
const TIMEOUT_MS = 5_000;

export class RemoteOpenApi {
	readonly #deps: Deps;
	readonly #kept = new Map<string, Kept>();
	#merged: { readonly from: string; readonly additions: Additions } | undefined;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Addresses of the documents of version 3, by "apis/GROUP/VERSION"; that of the group itself is told, too. */
	async addresses(signal: AbortSignal): Promise<Readonly<Record<string, DocumentAddress>>> {
		return Object.assign({}, ...(await this.#listed(signal)).map(({ paths }) => paths)) as Record<string, DocumentAddress>;
	}

	/** The document of version 3 as its server has it; undefined: no server has such a one. */
	async document(path: string, query: string, accept: string, signal: AbortSignal): Promise<RemoteAnswer | undefined> {
		const listed = await this.#listed(signal);
		const found = listed.find(({ service }) => pathOf(service) === path) ?? listed.find(({ paths }) => Object.hasOwn(paths, path));
		return found && this.#deps.server.get(found.service, `/openapi/v3/${path}${query}`, accept, TIMEOUT_MS, signal);
	}

	/** Of what each server lists, what belongs to its group: the rest is of the server itself. */
	async #listed(signal: AbortSignal): Promise<readonly { readonly service: Service; readonly paths: Record<string, DocumentAddress> }[]> {
		const found = await this.#all('/openapi/v3', signal);
		return found.map(({ service, body }) => {
			const root = `apis/${service.spec?.group ?? ''}`;
			const told = Object.entries((body as { paths?: Record<string, DocumentAddress> } | undefined)?.paths ?? {});
			return { service, paths: Object.fromEntries(told.filter(([path]) => path === root || path.startsWith(`${root}/`))) };
		});
	}

	/** What belongs to their group versions in their documents of version 2. The same object as long as nothing changed. */
	async additions(signal: AbortSignal): Promise<Additions | undefined> {
		const found = await this.#all('/openapi/v2', signal);
		if (found.length === 0) return undefined;
		const from = JSON.stringify(found.map(({ service, etag }) => [pathOf(service), etag]));
		if (this.#merged?.from === from) return this.#merged.additions;
		const paths: Additions['paths'] = {};
		const schemas: Additions['schemas'] = {};
		for (const { service, body } of found) {
			const document = body as { paths?: Additions['paths']; definitions?: Additions['schemas'] } | undefined;
			const root = `/${pathOf(service)}`;
			for (const [path, item] of Object.entries(document?.paths ?? {}))
				if (path === root || path.startsWith(`${root}/`)) paths[path] = item;
			Object.assign(schemas, document?.definitions);
		}
		this.#merged = { from, additions: { paths, schemas } };
		return this.#merged.additions;
	}

	async #all(
		path: string,
		signal: AbortSignal,
	): Promise<readonly { readonly service: Service; readonly body: unknown; readonly etag: string }[]> {
		const services = this.#deps.available();
		return Promise.all(services.map(async (service) => ({ service, ...(await this.#one(service, path, signal)) })));
	}

	/** What was told last, where it is new enough or nothing newer can be had. */
	async #one(service: Service, path: string, signal: AbortSignal): Promise<Kept> {
		const { server, clock } = this.#deps;
		const key = `${service.metadata.uid ?? ''} ${path}`;
		const kept = this.#kept.get(key);
		if (kept !== undefined && clock.monotonic() - kept.at < KEPT_MS) return kept;
		let made: Kept = { at: clock.monotonic(), etag: kept?.etag ?? '', body: kept?.body };
		try {
			const answer = await server.get(service, path, 'application/json', TIMEOUT_MS, signal, kept?.etag);
			const etag = answer.headers['etag'];
			if (answer.status === 200)
				made = { ...made, etag: typeof etag === 'string' ? etag : String(made.at), body: JSON.parse(answer.body.toString()) as unknown };
		} catch {
			signal.throwIfAborted();
		}
		this.#kept.set(key, made);
		return made;
	}
}

function pathOf({ spec }: APIService): string {
	return `apis/${spec?.group ?? ''}/${spec?.version ?? ''}`;
}
