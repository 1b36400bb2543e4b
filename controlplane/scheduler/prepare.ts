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

/**
 * Throws NotPrepared for the first that fails, and what it throws where all is over.
 * @param signal gives up this pod, for the reason that NotPrepared says; @param stopping all is over
 */
export async function prepare(reservations: readonly Reservation[], signal: AbortSignal, stopping: AbortSignal): Promise<void> {
	for (const reservation of reservations)
		try {
			await reservation.beforeBinding(signal);
		} catch (error) {
			if (stopping.aborted) throw error;
			throw new NotPrepared(reservation.plugin, signal.aborted ? signal.reason : error);
		}
}
