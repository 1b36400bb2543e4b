/** Whether an API server has a kind, by plain discovery: which all may read who are known, and a list of the kind not. */
import type { APIResourceList } from '../api/gen/types.ts';
import type { Resource } from '../api/resource.ts';
import { readText } from '../base/lines.ts';
import type { Client } from './client.ts';
import { errorOf } from './status-answer.ts';

/** Rejects with StatusError where the server does not tell, with AppError Unavailable where none answers. */
export async function isServed(client: Client, { group, version, plural }: Resource, signal: AbortSignal): Promise<boolean> {
	const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
	const answer = await client.transport.request({ method: 'GET', path, headers: { accept: 'application/json' } }, signal);
	const text = await readText(answer.body);
	if (answer.status === 404) return false;
	if (answer.status !== 200) throw errorOf(answer.status, text, answer.headers['retry-after']);
	// A group that has no resources may say null.
	const { resources } = JSON.parse(text) as { readonly resources?: APIResourceList['resources'] | null };
	return resources?.some(({ name }) => name === plural) === true;
}
