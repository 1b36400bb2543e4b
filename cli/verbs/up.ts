/** `kubeling up`: runs the cluster in this process with live progress, or in a detached one that tells its progress over IPC. */
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { createLog, type LogLevel } from '../../base/log.ts';
import { RotatingFile } from '../../base/rotating-file.ts';
import { checkStart, explained } from '../../cluster/check-start.ts';
import type { ClusterEvent } from '../../cluster/events.ts';
import { mergeIntoFile, userKubeconfigPath } from '../../cluster/kubeconfig.ts';
import { becomeSmall } from '../become-small.ts';
import { optionsOf, whichCluster, type CommonFlags } from '../flags.ts';
import { launchDetached } from '../detach.ts';
import { ProgressView } from '../progress.ts';

export async function up(flags: CommonFlags): Promise<void> {
	if (flags.detach !== true) becomeSmall();
	const view = new ProgressView(process.stdout);
	const settled = await whichCluster(flags);
	const onEvent = async (event: ClusterEvent): Promise<void> => {
		view.show(event);
		if (event.type !== 'ready') return;
		const path = userKubeconfigPath();
		if (flags.kubeconfig !== false) await mergeIntoFile(path, event.access);
		view.welcome(event, flags.kubeconfig === false ? undefined : path, flags.detach === true);
	};
	try {
		await checkStart(settled.dataDir);
		if (flags.detach === true) await launchDetached(flags, settled.dataDir, onEvent);
		else await runHere(flags, settled.dataDir, onEvent, view);
	} catch (error) {
		const plain = explained(error, settled.dataDir);
		await tellParent({ type: 'failed', message: messageOf(plain) });
		throw plain;
	}
}

async function runHere(
	flags: CommonFlags,
	dataDir: string,
	onEvent: (event: ClusterEvent) => Promise<void>,
	view: ProgressView,
): Promise<void> {
	const { runCluster } = await import('../../cluster/run.ts');
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
				onEvent: (event) => void pending.push(told(event).catch((error: unknown) => log.warn('progress was not shown', { error }))),
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

/** In the detached process: hands an event to the parent; after the last one the channel closes. */
async function tellParent(event: ClusterEvent): Promise<void> {
	if (process.send === undefined || !process.connected) return;
	await new Promise<void>((resolve) => process.send?.(event, () => resolve()));
	if (event.type === 'ready' || event.type === 'failed') process.disconnect();
}
