import test from 'ava';
import { runServices, type Service } from '../base/service.ts';
import { aborted } from '../base/abort.ts';
import { noLog } from '../base/log.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { announcementService } from './announcement.ts';

const serving = (name: string): Service => ({
	name,
	after: [],
	run: (signal, ready) => {
		ready();
		return aborted(signal);
	},
});

test('what is usable is told first; neither a look nor a telling that fails keeps the rest from being done', async (t) => {
	const happened: string[] = [];
	const clock = new VirtualClock();
	const stop = new AbortController();
	let looks = 0;
	const services = [serving('apiserver'), serving('other')];
	const onEvent = (event: { readonly type: string; readonly text?: string }): void => void happened.push(event.text ?? event.type);
	const announcement = announcementService(
		services,
		{ clock, log: noLog, onEvent },
		{
			async usable() {
				if (++looks === 1) throw new Error('the watch broke');
			},
			async tell() {
				happened.push('told');
				throw new Error('nobody listens');
			},
			async afterwards() {
				happened.push('afterwards');
				stop.abort();
			},
		},
	);
	const running = runServices([...services, announcement.service], stop.signal, () => {}, announcement);
	await clock.advance(60_000);
	await running;
	t.deepEqual(happened, ['Starting 2 services', 'API server', 'Waiting for the node', 'told', 'afterwards']);
	t.is(looks, 2);
});

test('a cluster that is stopped before it is usable tells nothing and does nothing', async (t) => {
	const stop = new AbortController();
	const wrong = async (): Promise<void> => t.fail();
	const usable = (signal: AbortSignal): Promise<void> => {
		setImmediate(() => stop.abort());
		return aborted(signal);
	};
	const deps = { clock: new VirtualClock(), log: noLog, onEvent: () => {} };
	const { service } = announcementService([], deps, { usable, tell: wrong, afterwards: wrong });
	await t.notThrowsAsync(runServices([service], stop.signal));
});
