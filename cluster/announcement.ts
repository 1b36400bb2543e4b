/** What people are told while a cluster starts, and that it is usable, which comes before everything that nobody waits for. */
import { aborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Service, ServiceGroupEvents } from '../base/service.ts';
import type { ClusterEvent } from './events.ts';
import { keepTrying } from './parts/keep-trying.ts';

interface Deps {
	readonly clock: Clock;
	readonly log: Log;
	readonly onEvent: (event: ClusterEvent) => void;
}

interface Steps {
	/** Resolves when the cluster is usable. */
	readonly usable: (signal: AbortSignal) => Promise<void>;
	readonly tell: () => Promise<void>;
	/** Whether it could be told or not. */
	readonly afterwards: (signal: AbortSignal) => Promise<void>;
}

export interface Announcement extends Required<Pick<ServiceGroupEvents, 'onReady'>> {
	readonly service: Service;
}

const NAME = 'announcement';
/** What people see as parts get ready. */
const SHOWN: Readonly<Record<string, string>> = { apiserver: 'API server', cri: 'Container runtime', agent: 'Node agent' };

/** To be run beside the services. */
export function announcementService(services: readonly Service[], { clock, log, onEvent }: Deps, steps: Steps): Announcement {
	const from = clock.monotonic();
	onEvent({ type: 'step', text: `Starting ${services.length} services` });
	return {
		service: {
			name: NAME,
			after: services.map(({ name }) => name),
			async run(signal, ready) {
				ready();
				try {
					onEvent({ type: 'step', text: 'Waiting for the node' });
					await keepTrying({ clock, log }, 'cannot see whether the node is ready; trying again', () => steps.usable(signal), signal);
					signal.throwIfAborted();
					await steps.tell().catch((error: unknown) => log.error('cannot tell that the cluster is usable', { reason: messageOf(error) }));
					await steps.afterwards(signal);
				} catch (error) {
					if (!signal.aborted) throw error;
				}
				await aborted(signal);
			},
		},
		onReady(name) {
			log.debug('service is ready', { service: name });
			const text = SHOWN[name];
			if (text !== undefined) onEvent({ type: 'done', text, ms: clock.monotonic() - from });
		},
	};
}
