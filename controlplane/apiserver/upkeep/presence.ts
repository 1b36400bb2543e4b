/**
 * This server among the endpoints of the kubernetes Service: shown once it serves, kept there, and taken away before it stops. Where several
 * servers share a store, each has a lease there, and the endpoints are those of all leases.
 */
import { aborted, withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { RENEW_MS, type MasterLeases } from '../bootstrap/master-leases.ts';
import type { Own } from './endpoints.ts';
import { keptEndpoints } from './kept-endpoints.ts';
import type { KeptDeps } from './present.ts';
import { Upkeep } from './upkeep.ts';

interface Deps extends KeptDeps {
	readonly clock: Clock;
	readonly log: Log;
	/** Where this server is reached. */
	readonly own: Own;
	/** Absent: nobody else works on the store. */
	readonly leases: MasterLeases | undefined;
}

/** A server that stops does not wait longer than this to say so. */
const LEAVE_MS = 2000;

export class Presence {
	readonly #deps: Deps;
	readonly #upkeep: Upkeep;
	/** It has had its lease; before, those of the others are not all. */
	#isIn: boolean;

	constructor(deps: Deps) {
		this.#deps = deps;
		const { leases, own } = deps;
		this.#isIn = leases === undefined;
		const addresses = (): readonly string[] | undefined => {
			const known = leases?.addresses() ?? [own.address];
			// This server's own is one of them: none at all is no truth, and would erase all the others.
			return this.#isIn && known.length > 0 ? known : undefined;
		};
		this.#upkeep = new Upkeep([keptEndpoints({ ...deps, addresses, isShared: leases !== undefined })], deps);
	}

	/** Serves as somebody who is shown: once ready, and until shortly before it stops. */
	async around(serve: (signal: AbortSignal, ready: () => void) => Promise<void>, signal: AbortSignal, ready: () => void): Promise<void> {
		const [stop, ended] = [new AbortController(), new AbortController()];
		const started = Promise.withResolvers<void>();
		const serving = serve(stop.signal, () => {
			ready();
			started.resolve();
		}).finally(() => ended.abort());
		serving.catch(() => {}); // awaited below, when this server has gone
		const until = AbortSignal.any([signal, ended.signal]);
		try {
			await Promise.race([started.promise, aborted(until)]);
			if (!until.aborted) await this.run(until);
		} finally {
			stop.abort(signal.reason);
		}
		await serving;
	}

	/** Shown until the signal aborts, and not any more once this resolves. */
	async run(signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#deps;
		await Promise.all([this.#renewing(signal), this.#upkeep.run(signal)]);
		using deadline = withDeadline(clock, LEAVE_MS, 'taking this server away from the endpoints');
		await this.#leave(deadline.signal).catch((error: unknown) =>
			log.warn('cannot take this server away from the endpoints', { why: messageOf(error) }),
		);
	}

	async #renewing(signal: AbortSignal): Promise<void> {
		const { leases, clock, log } = this.#deps;
		if (leases === undefined) return;
		while (!signal.aborted) {
			try {
				await leases.renew(signal);
				this.#isIn = true;
				// Those of others may have ended meanwhile.
				this.#upkeep.touch();
			} catch (error) {
				if (!signal.aborted) log.warn('cannot keep the lease of this server', { why: messageOf(error) });
			}
			await clock.sleep(RENEW_MS, signal).catch(() => {});
		}
	}

	async #leave(signal: AbortSignal): Promise<void> {
		const { leases, own } = this.#deps;
		await leases?.leave(signal);
		const addresses = (): readonly string[] => (leases?.addresses() ?? []).filter((address) => address !== own.address);
		await new Upkeep([keptEndpoints({ ...this.#deps, addresses, isShared: leases !== undefined })], this.#deps).begin(signal);
	}
}
