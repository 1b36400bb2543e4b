/**
 * The sizes that a client gives its terminal, on their way to the engine: one at a time and in order, since the engine may serve two calls the
 * other way round; only the newest counts. A process that is just being started has no terminal yet: then the size is told again.
 */
import { delayMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { TerminalSize } from '../../wire/remotecommand/session.ts';

const AGAIN = { initialMs: 10, maxMs: 500, jitter: 0.1 };
const MOST_TRIES = 10;

/** Takes sizes until the signal aborts; `tell` rejects where there is no terminal. */
export function sizesInOrder(
	tell: (size: TerminalSize) => Promise<void>,
	clock: Pick<Clock, 'sleep' | 'random'>,
	signal: AbortSignal,
): (size: TerminalSize) => void {
	let newest: TerminalSize | undefined;
	let telling = false;
	const run = async (): Promise<void> => {
		for (let tries = 0; newest !== undefined && !signal.aborted; ) {
			const size = newest;
			newest = undefined;
			try {
				await tell(size);
				tries = 0;
			} catch {
				if (++tries === MOST_TRIES) return;
				newest ??= size;
				await clock.sleep(delayMs(AGAIN, tries - 1, clock.random()), signal).catch(() => {});
			}
		}
	};
	return (size) => {
		newest = size;
		if (telling) return;
		telling = true;
		const told = (): void => {
			telling = false;
		};
		void run().then(told, told);
	};
}
