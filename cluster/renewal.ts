/** Certificates renew by themselves: waits until the first is due and loads the PKI again, which renews its files. Parts follow their files. */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import { renewAt, type Pki } from './pki.ts';

interface Deps {
	readonly clock: Clock;
	readonly log: Log;
	/** Loads the PKI, renewing what is due. */
	readonly load: () => Promise<Pki>;
}

/** Timers stand still while the machine sleeps: the wall clock is asked this often. It is also how long a renewal that failed waits. */
const LOOK_MS = 3_600_000;

export function renewalService(first: Pki, { clock, log, load }: Deps): Service {
	return {
		name: 'certificate-renewal',
		after: [],
		async run(signal, ready) {
			ready();
			let pki = first;
			for (;;) {
				const dueMs = Math.min(...Object.values(pki.leaves).map((leaf) => renewAt(leaf.certPem))) - clock.now();
				await clock.sleep(dueMs > 0 ? Math.min(dueMs, LOOK_MS) : 0, signal).catch(() => {});
				if (signal.aborted) return;
				if (dueMs > LOOK_MS) continue;
				try {
					pki = await load();
					log.info('renewed certificates');
				} catch (error) {
					log.error('cannot renew certificates', { reason: messageOf(error), error });
					await clock.sleep(LOOK_MS, signal).catch(() => {});
				}
			}
		},
	};
}
