/** New clusters of one machine choose their ports and networks one after the other: two that start at once would find the same ones free. */
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { lockDataFolder } from './lock.ts';

const FOLDER = '/run/kubeling';
const POLL_MS = 20;
/** A start that takes longer than this is not waited for. */
const PATIENCE_MS = 20_000;

/** Held until disposed, once or more often: by then what was chosen is in use for all to see. */
export async function chooseAlone(clock: Clock, signal: AbortSignal, folder: string = FOLDER): Promise<AsyncDisposable> {
	const until = clock.monotonic() + PATIENCE_MS;
	while (clock.monotonic() < until)
		try {
			return await lockDataFolder(folder, clock);
		} catch (error) {
			if (codeOf(error) !== 'FailedPrecondition') throw error;
			await clock.sleep(POLL_MS, signal);
		}
	return { [Symbol.asyncDispose]: () => Promise.resolve() };
}
