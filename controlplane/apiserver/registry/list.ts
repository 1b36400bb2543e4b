/** List: which entries, at which revision, and where the next page starts. */
import { badRequest, expired, StatusError } from '../../../api/status.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Entry, Page, Store } from '../../storage/store.ts';
import { compactedError } from '../../storage/versions.ts';
import { decodeContinue, encodeContinue } from '../request/continue-token.ts';
import { parseVersion, type ListOptions } from '../request/options.ts';
import { freshAs, freshNow, type Read } from './freshness.ts';
import { collectionPrefix, storeKey, type Kind } from './kinds.ts';
import type { Selection } from './selection.ts';

export interface Listed {
	readonly entries: readonly Entry[];
	readonly revision: bigint;
	/** '' when this is the last page. */
	readonly continue: string;
	readonly remaining: number | undefined;
	/** How many objects were looked at. */
	readonly fetched: number;
	/** It is of the newest, which was asked for. */
	readonly isNewest?: boolean;
	/** Memory did not know it: it was read from where the store is durable. */
	readonly isStored?: boolean;
}

export async function list(
	parts: Read,
	kind: Kind,
	namespace: string,
	selected: Selection,
	options: ListOptions,
	signal: AbortSignal,
): Promise<Listed> {
	const { store } = parts;
	const prefix = collectionPrefix(kind, namespace);
	let at: bigint | undefined;
	let after: string | undefined;
	let isNewest = false;
	if (options.continue !== '') {
		const token = decodeContinue(options.continue);
		if (options.resourceVersion !== '' && options.resourceVersion !== '0')
			throw badRequest('specifying resource version is not allowed when using continue');
		if (token.revision > 0n) {
			at = token.revision;
			await freshAs(parts, at, signal);
		} else isNewest = true;
		after = prefix + token.after;
	} else {
		const version = listVersion(options.resourceVersion);
		if (version === undefined) isNewest = true;
		else if (version > 0n) {
			await freshAs(parts, version, signal);
			if (isExact(kind, namespace, selected, options)) at = version;
		}
	}
	if (isNewest) await freshNow(parts, signal);
	// What the cache has is answered whole: upstream's does not know pages.
	const limit = options.resourceVersion === '0' ? 0 : options.limit;
	try {
		return { ...collect(store, kind, namespace, prefix, selected, limit, after, at), isNewest };
	} catch (error) {
		if (codeOf(error) !== 'OutOfRange' || error instanceof StatusError) throw error;
	}
	try {
		const page = await past(store, prefix, pageAsked(selected, limit, after, at), signal);
		return { ...pageOf(page, prefix, selected, limit), isStored: true };
	} catch (error) {
		if (codeOf(error) !== 'OutOfRange') throw error;
		throw options.continue === ''
			? expired('The resourceVersion for the provided list is too old.')
			: continueExpired(decodeContinue(options.continue).after);
	}
}

/** Without a word about it, a limit means that one version; the one object that a name selects has no pages (upstream reads it by its key). */
function isExact({ resource }: Kind, namespace: string, { name }: Selection, { resourceVersionMatch, limit }: ListOptions): boolean {
	if (resourceVersionMatch !== '' || limit === 0) return resourceVersionMatch === 'Exact';
	return name === undefined || (resource.namespaced && namespace === '');
}

interface PageAsked {
	readonly after?: string;
	readonly limit?: number;
	readonly at?: bigint;
}

/** What is selected shows only when all of it is looked at. */
function pageAsked({ all }: Selection, limit: number, after: string | undefined, at: bigint | undefined): PageAsked {
	return { ...(after === undefined ? {} : { after }), ...(at === undefined ? {} : { at }), ...(all && limit > 0 ? { limit } : {}) };
}

/** What memory does not know; AppError OutOfRange where nobody does. */
async function past(store: Store, prefix: string, { at, ...page }: PageAsked, signal: AbortSignal): Promise<Page> {
	if (at === undefined || store.past === undefined) throw compactedError(at ?? 0n, store.compacted());
	return store.past(prefix, { ...page, at }, signal);
}

function collect(
	store: Store,
	kind: Kind,
	namespace: string,
	prefix: string,
	selected: Selection,
	limit: number,
	after: string | undefined,
	at: bigint | undefined,
): Listed {
	const one = after === undefined ? selectedOne(kind, namespace, selected) : undefined;
	if (one !== undefined) {
		const entry = store.get(one, at);
		const revision = at ?? store.revision();
		const entries = entry !== undefined && selected.matches(entry.value) ? [entry] : [];
		return { entries, revision, continue: '', remaining: undefined, fetched: entry === undefined ? 0 : 1 };
	}
	return pageOf(store.list(prefix, pageAsked(selected, limit, after, at)), prefix, selected, limit);
}

function pageOf(page: Page, prefix: string, selected: Selection, limit: number): Listed {
	if (selected.all) {
		const last = page.entries.at(-1);
		const more = page.more && last !== undefined;
		return {
			entries: page.entries,
			revision: page.revision,
			continue: more ? encodeContinue({ revision: page.revision, after: last.key.slice(prefix.length) }) : '',
			remaining: more ? page.remaining : undefined,
			fetched: page.entries.length,
		};
	}
	const entries: Entry[] = [];
	for (const entry of page.entries) {
		// Whether one of the rest matches is for the next page to see.
		if (limit > 0 && entries.length === limit) {
			const last = entries.at(-1) as Entry;
			return {
				entries,
				revision: page.revision,
				continue: encodeContinue({ revision: page.revision, after: last.key.slice(prefix.length) }),
				remaining: undefined,
				fetched: page.entries.length,
			};
		}
		if (selected.matches(entry.value)) entries.push(entry);
	}
	return { entries, revision: page.revision, continue: '', remaining: undefined, fetched: page.entries.length };
}

/** The key of the one object that can match. */
function selectedOne(kind: Kind, namespace: string, { name, namespace: among }: Selection): string | undefined {
	if (name === undefined) return undefined;
	if (!kind.resource.namespaced) return storeKey(kind, '', name);
	const within = namespace === '' ? (among ?? '') : namespace;
	return within === '' ? undefined : storeKey(kind, within, name);
}

/** StatusError BadRequest; reads and watches say it otherwise. */
function listVersion(text: string): bigint | undefined {
	try {
		return parseVersion(text);
	} catch (error) {
		throw badRequest(`invalid resource version: ${messageOf(error)}`);
	}
}

/** 410 with a token that goes on from the same key at the newest revision, for clients that accept an inconsistent rest. */
function continueExpired(after: string): StatusError {
	const error = expired(
		'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
	);
	return new StatusError({ ...error.status, metadata: { continue: encodeContinue({ revision: -1n, after }) } });
}
