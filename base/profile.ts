/** What this process does and holds, as V8 says it: the text of a .cpuprofile or .heapprofile. */
import { Session } from 'node:inspector/promises';
import type { Clock } from './clock.ts';

export const cpuProfile = (ms: number, clock: Clock, signal: AbortSignal): Promise<string> =>
	inspected(async (session) => {
		await session.post('Profiler.enable');
		await session.post('Profiler.start');
		await clock.sleep(ms, signal);
		return (await session.post('Profiler.stop')).profile;
	});

export const heapProfile = (ms: number, clock: Clock, signal: AbortSignal): Promise<string> =>
	inspected(async (session) => {
		await session.post('HeapProfiler.startSampling');
		await clock.sleep(ms, signal);
		return (await session.post('HeapProfiler.stopSampling')).profile;
	});

async function inspected(profile: (session: Session) => Promise<object>): Promise<string> {
	const session = new Session();
	session.connect();
	try {
		return JSON.stringify(await profile(session));
	} finally {
		session.disconnect();
	}
}
