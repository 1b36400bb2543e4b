/** Certificates renew by themselves: waits until the first is due and loads the PKI again, which renews its files. Parts follow their files. */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import { renewAt, type KeyPair } from './pki.ts';

interface Deps {
	readonly clock: Clock;
	readonly log: Log;
	/** The leaf certificates there are now. */
	readonly leaves: () => Readonly<Record<string, KeyPair>>;
	/** Loads the PKI, renewing what is due. */
	readonly load: () => Promise<unknown>;
}

/** Timers stand still while the machine sleeps: the wall clock is asked this often. It is also how long a renewal that failed waits. */
const LOOK_MS = 3_600_000;

export function renewalService({ leaves, load, clock, log }: Deps): Service {
	return {
		name: 'certificate-renewal',
		after: [],
		async run(signal, ready) {
			ready();
			for (;;) {
				const dueMs = Math.min(...Object.values(leaves()).map((leaf) => renewAt(leaf.certPem))) - clock.now();
				await clock.sleep(dueMs > 0 ? Math.min(dueMs, LOOK_MS) : 0, signal).catch(() => {});
				if (signal.aborted) return;
				if (dueMs > LOOK_MS) continue;
				try {
					await load();
					log.info('renewed certificates');
				} catch (error) {
					log.error('cannot renew certificates', { reason: messageOf(error), error });
					await clock.sleep(LOOK_MS, signal).catch(() => {});
				}
			}
		},
	};
}
