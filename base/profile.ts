/** What this process does and holds, as V8 says it: the text of a .cpuprofile or .heapprofile. */
import { Session } from 'node:inspector/promises';
import type { Clock } from './clock.ts';

export async function cpuProfile(ms: number, clock: Clock, signal: AbortSignal): Promise<string> {
	const session = new Session();
	session.connect();
	try {
		await session.post('Profiler.enable');
		await session.post('Profiler.start');
		await clock.sleep(ms, signal);
		const { profile } = await session.post('Profiler.stop');
		return JSON.stringify(profile);
	} finally {
		session.disconnect();
	}
}

export async function heapProfile(ms: number, clock: Clock, signal: AbortSignal): Promise<string> {
	const session = new Session();
	session.connect();
	try {
		await session.post('HeapProfiler.startSampling');
		await clock.sleep(ms, signal);
		const { profile } = await session.post('HeapProfiler.stopSampling');
		return JSON.stringify(profile);
	} finally {
		session.disconnect();
	}
}
