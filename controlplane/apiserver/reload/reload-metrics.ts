/** How often a configuration file was taken up, under upstream's names and in its words. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';
import { serverIdentity } from '../bootstrap/identity-lease.ts';

export class ReloadMetrics {
	readonly #total: Counter<'status' | 'apiserver_id_hash'>;
	readonly #at: Gauge<'status' | 'apiserver_id_hash'>;
	readonly #info: Gauge<'apiserver_id_hash' | 'hash'>;
	readonly #id = hashOf(serverIdentity());
	readonly #clock: Clock;

	constructor(registry: Registry, what: 'authentication' | 'authorization' | 'encryption', clock: Clock) {
		const registers = [registry];
		const name = (of: string): string => `apiserver_${what}_config_controller_${of}`;
		const encryption = what === 'encryption';
		const by = encryption ? 'split by apiserver identity.' : 'split by status and apiserver identity.';
		const reloads = encryption ? 'reload successes and failures' : 'automatic reloads';
		const last = encryption ? 'last successful or failed automatic reload' : 'last automatic reload';
		this.#clock = clock;
		this.#total = new Counter({
			...{ name: name('automatic_reloads_total'), labelNames: ['status', 'apiserver_id_hash'], registers },
			help: `Total number of ${reloads} of ${what} configuration ${by}`,
		});
		this.#at = new Gauge({
			...{ name: name('automatic_reload_last_timestamp_seconds'), labelNames: ['status', 'apiserver_id_hash'], registers },
			help: `Timestamp of the ${last} of ${what} configuration ${by}`,
		});
		this.#info = new Gauge({
			...{ name: name('last_config_info'), labelNames: ['apiserver_id_hash', 'hash'], registers },
			help: `Information about the last applied ${what} configuration with hash as label, split by apiserver identity.`,
		});
	}

	/** What the server has now. */
	taken(text: string): void {
		this.#info.reset();
		this.#info.set({ apiserver_id_hash: this.#id, hash: hashOf(text) }, 1);
	}

	reloaded(text: string): void {
		this.#note('success');
		this.taken(text);
	}

	failed(): void {
		this.#note('failure');
	}

	#note(status: 'success' | 'failure'): void {
		const labels = { status, apiserver_id_hash: this.#id };
		this.#total.inc(labels);
		this.#at.set(labels, this.#clock.now() / 1000);
	}
}

function hashOf(text: string): string {
	return text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
