/** What pods were given, and what the runtime was last told, kept in files over restarts of the agent: upstream's names of both. */
import { join } from 'node:path';
import type { ResourceRequirements } from '../../api/gen/types.ts';
import { readState, writeState } from '../../base/files.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Saver } from '../saver.ts';
import type { PodAllocation } from './allocation.ts';

const VERSION = 1;

interface File {
	readonly entries: Record<string, PodAllocation>;
}

/** By uid. Written soon after a change, once for all that change together. */
export class Records {
	readonly #path: string | undefined;
	readonly #entries: Map<string, PodAllocation>;
	readonly #saver: Saver;

	private constructor(path: string | undefined, log: Log, entries: Map<string, PodAllocation>) {
		this.#path = path;
		this.#entries = entries;
		this.#saver = new Saver(
			() => this.#write(),
			(error) => log.warn('cannot keep what pods were given', { reason: messageOf(error) }),
		);
	}

	static async open(rootDir: string, name: 'allocated_pods_state' | 'actuated_pods_state', log: Log): Promise<Records> {
		const path = join(rootDir, name);
		// Without it pods are taken to have what their specs say; a broken one must not keep the node from starting.
		const read = await readState<File>(path, VERSION).catch((error: unknown) => {
			log.warn('what pods were given is not known any more; it is taken to be what they ask for', { reason: messageOf(error) });
			return undefined;
		});
		return new Records(path, log, new Map(Object.entries(read?.entries ?? {})));
	}

	/** That are nowhere but in memory. */
	static inMemory(log: Log): Records {
		return new Records(undefined, log, new Map());
	}

	get(uid: string): PodAllocation | undefined {
		return this.#entries.get(uid);
	}

	set(uid: string, allocation: PodAllocation): void {
		this.#entries.set(uid, allocation);
		this.#saver.changed();
	}

	setContainer(uid: string, name: string, resources: ResourceRequirements): void {
		const before = this.#entries.get(uid);
		this.set(uid, { ...before, containers: { ...before?.containers, [name]: resources } });
	}

	forget(uid: string): void {
		if (this.#entries.delete(uid)) this.#saver.changed();
	}

	/** Forgets all but these. */
	keep(known: (uid: string) => boolean): void {
		for (const uid of [...this.#entries.keys()]) if (!known(uid)) this.forget(uid);
	}

	/** Resolves once what is held is in the file; throws what keeps it from there. */
	saved(): Promise<void> {
		return this.#saver.saved();
	}

	async #write(): Promise<void> {
		if (this.#path === undefined) return;
		await writeState(this.#path, VERSION, { entries: Object.fromEntries(this.#entries) });
	}
}
