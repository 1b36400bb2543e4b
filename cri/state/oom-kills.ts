/**
 * Which containers the kernel ended a process of for want of memory, by its own log. An engine does not always know: its runtime begins to watch a container when that
 * runs, which may be over by then (containerd before 2.2), and tells of it apart from the end, which may come first.
 */
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { KernelLog } from '../../host/kernel-log.ts';
import { victimGroup } from '../../host/oom-killer.ts';

/** Some 3 µs each. */
const AT_ONCE = 256;
/** The youngest: a container is asked about when it has ended. */
const REMEMBERED = 1000;

export class OomKills implements Disposable {
	readonly #path: string;
	readonly #log: Log;
	readonly #ids = new Set<string>();
	#kernel: KernelLog | undefined;
	#reading: Promise<void> | undefined;

	/** @param path /dev/kmsg; where it cannot be read that is said, and nothing is known of any container */
	constructor(path: string, log: Log) {
		this.#path = path;
		this.#log = log;
		try {
			this.#kernel = new KernelLog(path);
		} catch (error) {
			this.#giveUp(error);
		}
	}

	/** Certain of a container that has ended, as far back as the log goes: the kernel writes before it ends a process. @param id the engine's */
	async has(id: string): Promise<boolean> {
		this.#reading ??= this.#read().finally(() => {
			this.#reading = undefined;
		});
		await this.#reading;
		return this.#ids.has(id);
	}

	[Symbol.dispose](): void {
		this.#kernel?.[Symbol.dispose]();
		this.#kernel = undefined;
	}

	/** What is new, which mostly is nothing, at some µs. */
	async #read(): Promise<void> {
		try {
			for (let messages = this.#next(); messages.length > 0; messages = this.#next()) {
				for (const message of messages) for (const id of containersIn(victimGroup(message) ?? '')) this.#remember(id);
				await new Promise((resolve) => setImmediate(resolve));
			}
		} catch (error) {
			this.#giveUp(error);
		}
	}

	#next(): readonly string[] {
		return this.#kernel?.read(AT_ONCE) ?? [];
	}

	#remember(id: string): void {
		this.#ids.add(id);
		const [oldest] = this.#ids;
		if (this.#ids.size > REMEMBERED && oldest !== undefined) this.#ids.delete(oldest);
	}

	#giveUp(error: unknown): void {
		this[Symbol.dispose]();
		this.#log.warn(
			'cannot read the log of the kernel: a container that is killed for want of memory says "Error" where the engine misses it',
			{
				path: this.#path,
				reason: messageOf(error),
			},
		);
	}
}

/** Pure: a group is named for its container, plainly or as a systemd scope, and what a container makes for itself is below. */
export function containersIn(group: string): readonly string[] {
	return group.match(/[\da-f]{64}/g) ?? [];
}
