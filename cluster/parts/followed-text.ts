/** A text file that others may replace: read again every minute. What cannot be read, or is not what is wanted, leaves the text before. */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';

/** Upstream's dynamic certificates: FileRefreshDuration. */
const REFRESH_MS = 60_000;

export class FollowedText {
	readonly #file: string;
	readonly #isRight: (text: string) => boolean;
	#text: string;

	private constructor(file: string, text: string, isRight: (text: string) => boolean) {
		this.#file = file;
		this.#text = text;
		this.#isRight = isRight;
	}

	static async open(file: string, isRight: (text: string) => boolean = () => true): Promise<FollowedText> {
		return new FollowedText(file, await readFile(file, 'utf8'), isRight);
	}

	get text(): string {
		return this.#text;
	}

	/** Whether there is something new. */
	async refresh(): Promise<boolean> {
		const text = await readFile(this.#file, 'utf8');
		if (text === this.#text || !this.#isRight(text)) return false;
		this.#text = text;
		return true;
	}

	/** Until the signal aborts. */
	async follow(clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await clock.sleep(REFRESH_MS, signal).catch(() => {});
			if (signal.aborted) return;
			try {
				if (await this.refresh()) log.info('took up a file that has changed', { file: this.#file });
			} catch (error) {
				log.warn('cannot read a file again', { file: this.#file, reason: messageOf(error) });
			}
		}
	}
}
