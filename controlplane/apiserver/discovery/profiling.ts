/** /debug/pprof: what the process does and holds, as V8 says it (.cpuprofile, .heapprofile); for those who may read these paths. */
import { Session } from 'node:inspector/promises';
import { badRequest, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
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
		['/debug/pprof', index],
		['/debug/pprof/profile', alone((request) => cpuProfile(request, clock))],
		['/debug/pprof/heap', alone((request) => heapProfile(request, clock))],
	]);
}

async function cpuProfile(request: ApiRequest, clock: Clock): Promise<ApiResponse> {
	const ms = durationOf(request);
	const session = new Session();
	session.connect();
	try {
		await session.post('Profiler.enable');
		await session.post('Profiler.start');
		await clock.sleep(ms, request.signal);
		const { profile } = await session.post('Profiler.stop');
		return text('application/json', JSON.stringify(profile));
	} finally {
		session.disconnect();
	}
}

async function heapProfile(request: ApiRequest, clock: Clock): Promise<ApiResponse> {
	const ms = durationOf(request);
	const session = new Session();
	session.connect();
	try {
		await session.post('HeapProfiler.startSampling');
		await clock.sleep(ms, request.signal);
		const { profile } = await session.post('HeapProfiler.stopSampling');
		return text('application/json', JSON.stringify(profile));
	} finally {
		session.disconnect();
	}
}

function durationOf({ query }: ApiRequest): number {
	const seconds = Number(query.get('seconds') ?? DEFAULT_SECONDS);
	if (!(seconds > 0 && seconds <= MAX_SECONDS)) throw badRequest(`seconds must be more than 0 and at most ${MAX_SECONDS}`);
	return seconds * 1000;
}

function text(type: string, body: string): ApiResponse {
	return { type: 'bytes', status: 200, headers: { 'content-type': type, 'x-content-type-options': 'nosniff' }, body: Buffer.from(body) };
}
