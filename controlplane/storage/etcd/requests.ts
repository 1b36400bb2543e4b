/** etcd's requests with the fields that this store sets, and the ranges of keys behind a prefix. */
import type { Compare, RangeRequest, RequestOp, TxnRequest, WatchCreateRequest } from '../../../wire/gen/etcd-rpc.ts';

const NONE = Buffer.alloc(0);

export interface KeyRange {
	readonly key: Buffer;
	readonly rangeEnd: Buffer;
}

/** All keys that begin with the prefix. */
export function below(prefix: string): KeyRange {
	const key = Buffer.from(prefix);
	const rangeEnd = Buffer.from(key);
	rangeEnd[rangeEnd.length - 1] = (rangeEnd.at(-1) as number) + 1;
	return { key, rangeEnd };
}

/** Every key there is. */
export const EVERY_KEY: KeyRange = { key: Buffer.from([0]), rangeEnd: Buffer.from([0]) };

export function oneKey(key: string): KeyRange {
	return { key: Buffer.from(key), rangeEnd: NONE };
}

export function range(keys: KeyRange, more: Partial<RangeRequest> = {}): RangeRequest {
	return {
		...keys,
		limit: 0n,
		revision: 0n,
		sortOrder: 0,
		sortTarget: 0,
		serializable: false,
		keysOnly: false,
		countOnly: false,
		minModRevision: 0n,
		maxModRevision: 0n,
		minCreateRevision: 0n,
		maxCreateRevision: 0n,
		...more,
	};
}

/** The key was last written at this revision; 0: it is absent. */
export function writtenAt(key: string, modRevision: bigint): Compare {
	return { result: 0, target: 2, ...oneKey(key), targetUnion: { $case: 'modRevision', value: modRevision } };
}

export function put(key: string, value: Uint8Array, lease = 0n): RequestOp {
	const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
	return {
		request: {
			$case: 'requestPut',
			value: { key: Buffer.from(key), value: bytes, lease, prevKv: false, ignoreValue: false, ignoreLease: false },
		},
	};
}

export function deletion(key: string): RequestOp {
	return { request: { $case: 'requestDeleteRange', value: { ...oneKey(key), prevKv: false } } };
}

export function reading(key: string): RequestOp {
	return { request: { $case: 'requestRange', value: range(oneKey(key), { keysOnly: true }) } };
}

export function transaction(compare: Compare[], success: RequestOp[], failure: RequestOp[]): TxnRequest {
	return { compare, success, failure };
}

export function watching(keys: KeyRange, startRevision: bigint): WatchCreateRequest {
	return { ...keys, startRevision, progressNotify: true, filters: [], prevKv: false, watchId: 0n, fragment: false };
}
