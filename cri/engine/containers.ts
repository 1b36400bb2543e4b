/** Making, starting, stopping and removing containers, where "already so" is success. */
import type { AtMost } from '../../base/at-most.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, ignore, messageOf } from '../../base/errors.ts';
import type { Engine } from './engine.ts';
import type { CreateBody } from './types.ts';

/** Answers the id. The engine may still have the name from a creation that never was acknowledged: that one goes. */
export async function createContainer(engine: Engine, name: string, body: CreateBody, signal: AbortSignal): Promise<string> {
	const request = { method: 'POST', path: '/containers/create', query: { name }, body, signal } as const;
	try {
		return (await engine.call<{ Id: string }>(request)).Id;
	} catch (error) {
		if (!messageOf(error).includes('is already in use by container')) throw error;
		await engine
			.call<undefined>({ method: 'DELETE', path: `/containers/${name}`, query: { force: true, v: true } })
			.catch(ignore('NotFound'));
		return (await engine.call<{ Id: string }>(request)).Id;
	}
}

/** `starts` of all containers: what one waits for there is no part of the engine's time to answer. */
export async function startContainer(
	{ engine, starts }: { readonly engine: Engine; readonly starts: AtMost },
	id: string,
	signal: AbortSignal,
): Promise<void> {
	await starts.run(signal, () => engine.call<undefined>({ method: 'POST', path: `/containers/${id}/start`, signal }));
}

/** Kills and waits until the process is gone. */
export async function killContainer(engine: Engine, id: string, signal?: AbortSignal): Promise<void> {
	await engine.call<undefined>({ method: 'POST', path: `/containers/${id}/kill`, query: { signal: 'KILL' }, signal }).catch(ignoreOver);
}

/** Sends the stop signal, after the grace period KILL, and waits until the process is gone. */
export async function stopContainer(engine: Engine, id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
	if (graceSeconds <= 0) return killContainer(engine, id, signal);
	const timeoutMs = engine.timeoutMs + graceSeconds * 1000;
	await engine
		.call<undefined>({ method: 'POST', path: `/containers/${id}/stop`, query: { t: graceSeconds }, signal, timeoutMs })
		.catch(ignoreOver);
}

/** Removes with its anonymous volumes, killing what runs; waits for a removal that is under way already. */
export async function removeContainer(engine: Engine, id: string, clock: Clock, signal?: AbortSignal): Promise<void> {
	for (let attempt = 0; ; attempt++) {
		try {
			await engine
				.call<undefined>({ method: 'DELETE', path: `/containers/${id}`, query: { force: true, v: true }, signal })
				.catch(ignore('NotFound'));
			return;
		} catch (error) {
			if (attempt >= 100 || !/removal of container .* is already in progress/.test(messageOf(error))) throw error;
			await clock.sleep(20, signal);
		}
	}
}

/** Gone (404), or not running (409 "is not running"). */
function ignoreOver(error: unknown): undefined {
	if (error instanceof AppError && (error.code === 'NotFound' || /is not running/.test(error.message))) return undefined;
	throw error;
}
