/** The API server's /statusz and /flagz. */
import { StatusError } from '../../../api/status.ts';
import { answerZPage, flagzPage, NOT_ACCEPTABLE, statuszPage, type ZPage } from '../../../api/zpages.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import { KUBERNETES_VERSION } from './version.ts';

const COMPONENT = 'apiserver';
/** Paths of the API itself, which are no help with the server. */
const API_PATHS = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

/** @param paths all that are served outside of resources */
export function statuszHandler(clock: Clock, paths: () => readonly string[]): Handler {
	const { major, minor, patch } = KUBERNETES_VERSION;
	const startedAt = clock.now();
	const binaryVersion = `${major}.${minor}.${patch}`;
	return (request) => {
		const listed = [...new Set(paths().flatMap(folderOf))].toSorted();
		return answer(request, statuszPage({ startedAt, now: clock.now(), binaryVersion, paths: listed }));
	};
}

export function flagzHandler(flags: Readonly<Record<string, string>>): Handler {
	const page = flagzPage(flags);
	return (request) => answer(request, page);
}

function folderOf(path: string): string[] {
	const folder = `/${path.split('/')[1] ?? ''}`;
	return folder === '/' || API_PATHS.has(folder) ? [] : [folder];
}

function answer(request: ApiRequest, page: ZPage): Promise<ApiResponse> {
	const found = answerZPage(COMPONENT, page, request.headers['accept']);
	if (found === undefined)
		throw new StatusError({ metadata: {}, status: 'Failure', message: NOT_ACCEPTABLE, reason: 'NotAcceptable', code: 406 });
	if (found.warning !== undefined) request.warn(found.warning);
	const headers = { 'content-type': found.contentType, 'cache-control': 'no-cache, private' };
	return Promise.resolve({ type: 'bytes', status: 200, headers, body: Buffer.from(found.text) });
}
