/** Compaction of an etcd that several servers share: whoever moves the shared mark compacts (upstream's compact_rev_key). */
import { codeOf } from '../../../base/errors.ts';
import type { Compare } from '../../../wire/gen/etcd-rpc.ts';
import type { Endpoints } from './endpoints.ts';
import { oneKey, put, range, transaction } from './requests.ts';

/** Upstream's key: it holds the revision of the last compaction, and its version counts them. */
const MARK = 'compact_rev_key';

export class Compactor {
	readonly #endpoints: Endpoints;
	/** The mark's version as last seen. */
	#version = 0n;

	constructor(endpoints: Endpoints) {
		this.#endpoints = endpoints;
	}

	/** Forgets revisions before this one, unless another server has compacted since the last call. */
	async compact(before: bigint): Promise<void> {
		const compare: Compare = { result: 0, target: 0, ...oneKey(MARK), targetUnion: { $case: 'version', value: this.#version } };
		const success = [put(MARK, Buffer.from(String(before)))];
		const failure = [{ request: { $case: 'requestRange' as const, value: range(oneKey(MARK)) } }];
		const answer = await this.#endpoints.write((client, options) => client.txn(transaction([compare], success, failure), options));
		if (!answer.succeeded) {
			const response = answer.responses[0]?.response;
			if (response?.$case === 'responseRange') this.#version = response.value.kvs[0]?.version ?? 0n;
			return;
		}
		this.#version++;
		try {
			await this.#endpoints.read((client, options) => client.compact({ revision: before, physical: false }, options));
		} catch (error) {
			// Already compacted, by hand or by etcd's own rule.
			if (codeOf(error) !== 'OutOfRange') throw error;
		}
	}
}
