/** What a standalone agent keeps of a node's life: nobody has a Node to write to, but pods wait for the runtime's network all the same. */
import { settingsIn } from '../config/settings.ts';
import { NodeLook, type LookOptions } from './look.ts';

/** Until the signal aborts. @param ready called once, when the runtime can run pods */
export async function keepLooking(given: LookOptions, signal: AbortSignal, ready: () => void): Promise<void> {
	const look = new NodeLook(given);
	const { clock, log } = given.deps;
	let before: string | undefined;
	for (let told = false; !signal.aborted; ) {
		const { notReady } = await look.look(signal);
		if (notReady !== '' && notReady !== before) log.warn('the node is not ready', { reason: notReady });
		before = notReady;
		if (notReady === '' && !told) {
			told = true;
			ready();
		}
		await clock.sleep(settingsIn(given.options).nodeStatusMs, signal).catch(() => {});
	}
}
