/**
 * When the machine itself runs out of memory the kernel ends a process of its choice and writes so in its log: the event SystemOOM. What a control
 * group's own limit ended is no matter of the node: the runtime says OOMKilled of the container, and its group counts it.
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { KernelLog } from '../../host/kernel-log.ts';
import { OomReader } from '../../host/oom-killer.ts';

/** How often what is new is looked for, at some 10 µs: Node cannot wait for a device but in a thread, which it would hold for ever. */
const PERIOD_MS = 5000;
/** Some 3 µs each. */
const AT_ONCE = 128;

export interface SystemOomDeps {
	readonly clock: Clock;
	readonly log: Log;
	/** About the node. */
	readonly event: (type: 'Warning', reason: string, message: string) => void;
}

/** What the kernel's log still has of this boot, too, as upstream's: an agent may be what was ended. @param path /dev/kmsg; undefined: nobody looks */
export async function tellSystemOoms(path: string | undefined, { clock, log, event }: SystemOomDeps, signal: AbortSignal): Promise<void> {
	if (path === undefined) return;
	try {
		using kernel = new KernelLog(path);
		const reader = new OomReader();
		while (!signal.aborted) {
			await clock.sleep(PERIOD_MS, signal).catch(() => {});
			for (let messages = kernel.read(AT_ONCE); messages.length > 0 && !signal.aborted; messages = kernel.read(AT_ONCE)) {
				for (const message of messages) {
					const kill = reader.next(message);
					if (kill?.limit !== '/') continue;
					event('Warning', 'SystemOOM', `System OOM encountered, victim process: ${kill.process}, pid: ${kill.pid}`);
				}
				await clock.sleep(1, signal).catch(() => {});
			}
		}
	} catch (error) {
		log.warn('cannot read the log of the kernel: nothing is told of processes that it ends when memory runs out', {
			path,
			reason: messageOf(error),
		});
	}
}
