/** How many seats a request takes, and for how long after its answer: lists by the bytes they load, writes by who watches (upstream's flowcontrol/request). Pure. */
import { nameOf } from '../request/attributes.ts';
import type { ResourceInfo } from '../request/request-info.ts';

export interface Work {
	readonly initialSeats: number;
	/** Taken for `finalMs` after the answer, while watchers get the event. */
	readonly finalSeats: number;
	readonly finalMs: number;
}

export interface CollectionSize {
	readonly objects: number;
	readonly averageBytes: number;
}

const ONE: Work = { initialSeats: 1, finalSeats: 0, finalMs: 0 };
const BYTES_PER_SEAT = 100_000;
/** What a list that is sent in pieces holds at once. */
const STREAMED_BYTES = 1_000_000;
const MAX_LIST_SEATS = 100;
const MAX_WRITE_SEATS = 10;
const WATCHES_PER_SEAT = 10;
const EVENT_MS = 5;
const INTEGER = /^(?:[+-]?\d+)?$/;

/** @param maxSeats the most the level gives to one request; 0: no limit of its own */
export function workOf(
	info: ResourceInfo,
	query: URLSearchParams,
	size: () => CollectionSize | undefined,
	watchers: () => number,
	maxSeats: number,
): Work {
	switch (info.verb) {
		case 'list':
		case 'watch':
			return listWork(info, query, size, within(maxSeats, MAX_LIST_SEATS));
		case 'create':
		case 'update':
		case 'patch':
		case 'delete':
			return isQuiet(info) ? ONE : writeWork(watchers(), within(maxSeats, MAX_WRITE_SEATS));
	}
	return ONE;
}

function within(own: number, limit: number): number {
	return own === 0 || own > limit ? limit : own;
}

function listWork(info: ResourceInfo, query: URLSearchParams, size: () => CollectionSize | undefined, maxSeats: number): Work {
	// What cannot be read is refused soon, and costs the most until then.
	if (['limit', 'timeoutSeconds'].some((name) => !INTEGER.test(query.get(name) ?? '')))
		return { initialSeats: maxSeats, finalSeats: 0, finalMs: 0 };
	if (info.verb === 'watch' && !startsWithList(query)) return ONE;
	const found = size();
	if (found === undefined) return ONE;
	const limit = Number(query.get('limit') ?? 0);
	const limited = limit > 0 && limit < found.objects ? limit : found.objects;
	const isOld = info.verb === 'list' && ofOneRevision(query, limit);
	const selected = isOld && ['fieldSelector', 'labelSelector'].some((name) => (query.get(name) ?? '') !== '');
	const loaded = nameOf(info, query) !== '' ? 1 : selected ? Math.max(limited, Math.trunc(found.objects / 2)) : limited;
	const bytes = Math.min(loaded * found.averageBytes, isOld ? Infinity : STREAMED_BYTES);
	const seats = Math.ceil(bytes / BYTES_PER_SEAT);
	return { initialSeats: Math.max(1, Math.min(seats, maxSeats)), finalSeats: 0, finalMs: 0 };
}

/** Lists that go on, and those of one revision, are not of what is newest: upstream has them from etcd, which sends nothing in pieces. */
function ofOneRevision(query: URLSearchParams, limit: number): boolean {
	const match = query.get('resourceVersionMatch') ?? '';
	if (match !== '') return match !== 'NotOlderThan';
	const version = query.get('resourceVersion') ?? '';
	return (query.get('continue') ?? '') !== '' || (limit > 0 && version !== '' && version !== '0');
}

/** A watch that begins with what is there costs what a list costs. */
function startsWithList(query: URLSearchParams): boolean {
	const initial = query.get('sendInitialEvents');
	const version = query.get('resourceVersion') ?? '';
	return version === '' || version === '0' || (initial !== null && initial !== 'false' && initial !== '0');
}

/** Work of one size may be done by fewer seats for longer. */
function writeWork(watchers: number, maxSeats: number): Work {
	if (watchers < WATCHES_PER_SEAT) return ONE;
	const wanted = Math.ceil(watchers / WATCHES_PER_SEAT);
	const finalSeats = Math.min(wanted, maxSeats);
	return { initialSeats: 1, finalSeats, finalMs: (wanted * EVENT_MS) / finalSeats };
}

/** A token changes no object, so nobody who watches hears of it. */
function isQuiet({ resource, subresource }: ResourceInfo): boolean {
	return resource === 'serviceaccounts' && subresource === 'token';
}
