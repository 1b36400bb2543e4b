/** Certificates renew by themselves: sleeps until the first is due, loads the PKI again (which renews), and hands it on. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import { renewAt, type Pki } from './pki.ts';

interface Deps {
	readonly clock: Clock;
	readonly log: Log;
	/** Loads the PKI, renewing what is due. */
	readonly load: () => Promise<Pki>;
	/** Called with the renewed PKI: servers swap their certificates without closing connections. */
	readonly onRenewed: (pki: Pki) => void;
}

export function renewalService(first: Pki, deps: Deps): Service {
	const { clock, log, load, onRenewed } = deps;
	return {
		name: 'certificate-renewal',
		after: [],
		async run(signal, ready) {
			ready();
			let pki = first;
			while (!signal.aborted) {
				const due = Math.min(...Object.values(pki.leaves).map((leaf) => renewAt(leaf.certPem)));
				await clock.sleep(Math.max(1000, due - clock.now()), signal).catch(() => {});
				if (signal.aborted) return;
				pki = await load();
				onRenewed(pki);
				log.info('renewed certificates');
			}
		},
	};
}
