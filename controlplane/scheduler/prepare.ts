/** What must be done for a pod between its decision and its binding: what it holds on its node is made real. */
import { messageOf } from '../../base/errors.ts';
import type { Reservation } from './framework.ts';

/** A pod could not be bound because of what had to be done first. */
export class NotPrepared extends Error {
	readonly plugin: string;

	constructor(plugin: string, cause: unknown) {
		super(`running PreBind plugin "${plugin}": ${messageOf(cause)}`, { cause });
		this.plugin = plugin;
	}
}

/** Throws NotPrepared for the first that fails, and the signal's reason when that aborts. */
export async function prepare(reservations: readonly Reservation[], signal: AbortSignal): Promise<void> {
	for (const reservation of reservations)
		try {
			await reservation.beforeBinding(signal);
		} catch (error) {
			if (signal.aborted) throw error;
			throw new NotPrepared(reservation.plugin, error);
		}
}
