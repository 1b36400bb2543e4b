/** Pages of older revisions, from etcd itself: a server that has just started knows none, and tokens of lists may come from another one. */
import type { Entry, Page } from '../store.ts';
import type { Endpoints } from './endpoints.ts';
import { below, range } from './requests.ts';
import type { StoredForm } from './stored-form.ts';

interface Asked {
	readonly after?: string;
	readonly limit?: number;
	readonly at: bigint;
}

const NEXT = Buffer.from([0]);

/** AppError OutOfRange when the revision is compacted, InvalidArgument for a value that cannot be read. */
export async function pastPage(endpoints: Endpoints, form: StoredForm, prefix: string, asked: Asked, signal: AbortSignal): Promise<Page> {
	const { after, limit = 0, at } = asked;
	const { key: first, rangeEnd } = below(form.toKey(prefix));
	const key = after === undefined ? first : Buffer.concat([Buffer.from(form.toKey(after)), NEXT]);
	const wanted = range({ key, rangeEnd }, { limit: BigInt(limit), revision: at });
	const answer = await endpoints.read((client, options) => client.range(wanted, options), signal);
	const entries: Entry[] = [];
	for (const kv of answer.kvs) {
		const own = form.fromKey(kv.key.toString());
		if (own !== undefined) entries.push({ key: own, revision: kv.modRevision, value: form.fromValue(own, kv.value) });
	}
	return { entries, revision: at, more: answer.more, remaining: Number(answer.count) - answer.kvs.length };
}
