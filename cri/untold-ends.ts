/** Ends that no event told of while the stream was lost: an engine remembers its last 256 events, and none from before its own start. */
import { codeOf } from '../base/errors.ts';
import type { Live } from './state/live.ts';
import type { RuntimeState } from './state/state.ts';

export class UntoldEnds {
	readonly #state: RuntimeState;
	readonly #told: Set<string>;

	/** What has ended by now is no news. */
	constructor(state: RuntimeState) {
		this.#state = state;
		this.#told = new Set(this.#ids().filter((id) => isOver(this.#peek(id))));
	}

	/** Whether somebody is to be told of this end: not twice of the same. */
	isNews(id: string): boolean {
		if (this.#told.has(id)) return false;
		this.#told.add(id);
		return true;
	}

	/** It is gone, or runs: another end would be news. */
	forget(id: string): void {
		this.#told.delete(id);
	}

	/** Asks the engine, one after the other, for all whose end nobody was told of; throws what the engine does not answer. */
	async *look(): AsyncGenerator<{ readonly id: string; readonly live: Live }> {
		const ids = this.#ids();
		const known = new Set(ids);
		for (const id of this.#told) if (!known.has(id)) this.#told.delete(id);
		for (const id of ids) {
			if (this.#told.has(id)) continue;
			const live = await this.#read(id);
			if (isOver(live) && this.isNews(id)) yield { id, live };
		}
	}

	#ids(): readonly string[] {
		return [...this.#state.sandboxRecords(), ...this.#state.containerRecords()].map((record) => record.id);
	}

	#peek(id: string): Live | undefined {
		return (this.#state.peekContainer(id) ?? this.#state.peekSandbox(id))?.live;
	}

	/** Undefined where it has been removed meanwhile. */
	async #read(id: string): Promise<Live | undefined> {
		try {
			const isContainer = this.#state.peekContainer(id) !== undefined;
			return (await (isContainer ? this.#state.container(id) : this.#state.sandbox(id))).live;
		} catch (error) {
			if (codeOf(error) === 'NotFound') return undefined;
			throw error;
		}
	}
}

function isOver(live: Live | undefined): live is Live {
	return live?.state === 'exited' || live?.state === 'unknown';
}
