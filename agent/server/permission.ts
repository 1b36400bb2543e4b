/** Whether a caller may: asked of the API server by SubjectAccessReview on the node's subresources. */
import type { SubjectAccessReview } from '../../api/gen/types.ts';
import { SUBJECT_ACCESS_REVIEWS } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import type { Caller } from './caller.ts';

export interface Attributes {
	readonly verb: string;
	/** Tried in order; one that is allowed suffices. */
	readonly subresources: readonly string[];
}

/** Of a KubeletConfiguration's `authorization`. */
interface How {
	readonly alwaysAllow: boolean;
	readonly allowedMs: number;
	readonly deniedMs: number;
}

const VERBS: Readonly<Record<string, string>> = {
	GET: 'get',
	HEAD: 'get',
	POST: 'create',
	PUT: 'update',
	PATCH: 'patch',
	DELETE: 'delete',
};

/** Pure: what a request asks of the node (upstream's NodeRequestAttributesGetter). Some ask for two things at once. */
export function attributesOf(method: string, path: string, upgrades: boolean): readonly Attributes[] {
	const verb = VERBS[method] ?? '';
	const under = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
	const asked = { verb, subresources: subresourcesOf(under) };
	const streams = ['/exec', '/attach', '/run', '/portForward'].some(under);
	// A WebSocket handshake is a GET, but what it starts is not reading; whatever the protocol is called.
	return streams && upgrades && verb === 'get' ? [asked, { ...asked, verb: 'create' }] : [asked];
}

function subresourcesOf(under: (prefix: string) => boolean): readonly string[] {
	if (under('/stats')) return ['stats'];
	if (under('/metrics')) return ['metrics'];
	if (under('/logs')) return ['log'];
	if (under('/checkpoint')) return ['checkpoint'];
	if (under('/statusz')) return ['statusz'];
	if (under('/healthz')) return ['healthz', 'proxy'];
	if (under('/pods') || under('/runningpods')) return ['pods', 'proxy'];
	if (under('/configz') || under('/flagz')) return ['configz', 'proxy'];
	return ['proxy'];
}

export class Permissions {
	readonly #client: Client;
	readonly #clock: Clock;
	readonly #nodeName: string;
	readonly #how: How;
	readonly #cache = new Map<string, { readonly allowed: boolean; readonly until: number }>();

	constructor(client: Client, clock: Clock, nodeName: string, how: How) {
		this.#client = client;
		this.#clock = clock;
		this.#nodeName = nodeName;
		this.#how = how;
	}

	async allowed(caller: Caller, asked: readonly Attributes[], signal: AbortSignal): Promise<boolean> {
		if (this.#how.alwaysAllow) return true;
		for (const one of asked) if (!(await this.#any(caller, one, signal))) return false;
		return true;
	}

	async #any(caller: Caller, { verb, subresources }: Attributes, signal: AbortSignal): Promise<boolean> {
		for (const subresource of subresources) if (await this.#one(caller, verb, subresource, signal)) return true;
		return false;
	}

	async #one(caller: Caller, verb: string, subresource: string, signal: AbortSignal): Promise<boolean> {
		const key = JSON.stringify([caller, verb, subresource]);
		const now = this.#clock.now();
		const held = this.#cache.get(key);
		if (held !== undefined && held.until > now) return held.allowed;
		const resourceAttributes = { verb, group: '', version: 'v1', resource: 'nodes', subresource, name: this.#nodeName };
		const extra = Object.fromEntries(Object.entries(caller.extra ?? {}).map(([name, values]) => [name, [...values]]));
		const spec = { user: caller.name, uid: caller.uid, groups: [...caller.groups], extra, resourceAttributes };
		const review = await this.#client.create<SubjectAccessReview>(SUBJECT_ACCESS_REVIEWS, { metadata: {}, spec }, { signal });
		const allowed = review.status?.allowed === true;
		for (const [k, entry] of this.#cache) if (entry.until <= now) this.#cache.delete(k);
		this.#cache.set(key, { allowed, until: now + (allowed ? this.#how.allowedMs : this.#how.deniedMs) });
		return allowed;
	}
}
