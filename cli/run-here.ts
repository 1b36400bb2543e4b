/** A cluster in this process, until a signal stops it. */
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { realClock } from '../base/clock.ts';
import { createLog, type LogLevel } from '../base/log.ts';
import { RotatingFile } from '../base/rotating-file.ts';
import type { ClusterEvent } from '../cluster/events.ts';
import { runCluster } from '../cluster/run.ts';
import { optionsOf, type CommonFlags } from './flags.ts';
import type { ProgressView } from './progress.ts';
import { tellParent } from './tell-parent.ts';

export async function runHere(
	flags: CommonFlags,
	dataDir: string,
	onEvent: (event: ClusterEvent) => Promise<void>,
	view: ProgressView,
): Promise<void> {
	using file = new RotatingFile({ path: join(dataDir, 'logs', 'kubeling.log') });
	const log = createLog({ level: flags.logLevel ?? ('info' satisfies LogLevel), write: (line) => file.write(line) });
	const stop = new AbortController();
	const onSignal = (): void => {
		if (stop.signal.aborted) process.exit(130);
		view.note('Stopping; containers go on. Press Ctrl-C again to stop at once.');
		stop.abort();
	};
	process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
	const told = process.send === undefined ? onEvent : tellParent;
	const pending: Promise<void>[] = [];
	try {
		await runCluster(
			optionsOf(flags),
			{
				clock: realClock,
				log,
				install: flags.install === true,
				logLevel: flags.logLevel ?? 'info',
				onLine: (line) => file.write(line),
				onEvent: (event) => {
					pending.push(told(event).catch((error: unknown) => log.warn('progress was not shown', { error })));
					// Compiled code is kept at the end otherwise, which a killed process never sees, and by then what only a start needs has been dropped.
					if (event.type === 'ready') setImmediate(flushCompileCache);
				},
			},
			stop.signal,
		);
	} catch (error) {
		log.error('the cluster ended', { error });
		throw error;
	} finally {
		await Promise.all(pending);
		process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
	}
}
