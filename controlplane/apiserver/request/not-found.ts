/** What nothing serves: below the roots of built-in groups upstream answers a Status, elsewhere the plain text of its mux. */
import { RESOURCES } from '../../../api/resources.ts';
import { resourceNotFound } from '../../../api/status.ts';
import type { ApiResponse } from '../contracts.ts';

const BUILT_IN_GROUPS: ReadonlySet<string> = new Set(RESOURCES.map(({ group }) => group));

const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** Throws StatusError NotFound where a Status is the answer. */
export function notFoundPath(path: string): ApiResponse {
	const [root, group = ''] = path.split('/').filter((segment) => segment !== '');
	if (root === 'api' || root === 'version' || (root === 'apis' && BUILT_IN_GROUPS.has(group))) throw resourceNotFound();
	return { type: 'bytes', status: 404, headers: PLAIN_TEXT, body: Buffer.from('404 page not found\n') };
}
