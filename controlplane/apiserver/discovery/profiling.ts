/** /debug/pprof: what the process does and holds, as V8 says it (.cpuprofile, .heapprofile); for those who may read these paths. */
import { badRequest, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { cpuProfile, heapProfile } from '../../../base/profile.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';

const MAX_SECONDS = 60;
const DEFAULT_SECONDS = 30;

export function profilingRoutes(clock: Clock): ReadonlyMap<string, Handler> {
	let busy = false;
	/** One at a time: profiles of profiles say nothing. */
	const alone = (work: (request: ApiRequest) => Promise<ApiResponse>): Handler => {
		return async (request) => {
			if (busy)
				throw new StatusError({ metadata: {}, status: 'Failure', message: 'a profile is being taken', reason: 'Conflict', code: 409 });
			busy = true;
			try {
				return await work(request);
			} finally {
				busy = false;
			}
		};
	};
	const index: Handler = () =>
		Promise.resolve(text('text/plain; charset=utf-8', '/debug/pprof/profile?seconds=30\n/debug/pprof/heap?seconds=30\n'));
	return new Map<string, Handler>([
		['/debug/pprof', toIndex],
		['/debug/pprof/', under(index)],
		['/debug/pprof/profile', alone(async (request) => json(await cpuProfile(durationOf(request), clock, request.signal)))],
		['/debug/pprof/heap', alone(async (request) => json(await heapProfile(durationOf(request), clock, request.signal)))],
	]);
}

/** As Go's http.Redirect has it. */
function toIndex({ method }: ApiRequest): Promise<ApiResponse> {
	const headers = { 'content-type': 'text/html; charset=utf-8', location: '/debug/pprof/' };
	const body = method === 'GET' ? `<a href="/debug/pprof/">Found</a>.\n\n` : '';
	return Promise.resolve({ type: 'bytes', status: 302, headers, body: Buffer.from(body) });
}

/** The index, and what else is asked for below it: there are no other profiles. */
function under(index: Handler): Handler {
	return (request) =>
		request.path === '/debug/pprof/'
			? index(request)
			: Promise.resolve({ ...text('text/plain; charset=utf-8', 'Unknown profile\n'), status: 404 });
}

function durationOf({ query }: ApiRequest): number {
	const seconds = Number(query.get('seconds') ?? DEFAULT_SECONDS);
	if (!(seconds > 0 && seconds <= MAX_SECONDS)) throw badRequest(`seconds must be more than 0 and at most ${MAX_SECONDS}`);
	return seconds * 1000;
}

const json = (body: string): ApiResponse => text('application/json', body);

function text(type: string, body: string): Extract<ApiResponse, { type: 'bytes' }> {
	return { type: 'bytes', status: 200, headers: { 'content-type': type, 'x-content-type-options': 'nosniff' }, body: Buffer.from(body) };
}
