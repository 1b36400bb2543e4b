/** The kernel's log, record by record, as /dev/kmsg gives it: what it still has, then what is new. Reading never waits. */
import { closeSync, constants, openSync, readSync } from 'node:fs';

/** No record is longer (CONSOLE_EXT_LOG_MAX). */
const RECORD_BYTES = 8192;

export class KernelLog implements Disposable {
	readonly #fd: number;
	readonly #buffer = Buffer.alloc(RECORD_BYTES);

	/** Throws where this process may not read it, or where there is none. */
	constructor(path: string) {
		this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	}

	/** The next messages, none where there is no more for now. Records that were overwritten before they were read are passed over. @param atMost so many, at some µs each */
	read(atMost: number): readonly string[] {
		const messages: string[] = [];
		for (let tries = 0; tries < atMost; tries++)
			try {
				const bytes = readSync(this.#fd, this.#buffer);
				if (bytes === 0) break;
				const message = messageOfRecord(this.#buffer.toString('utf8', 0, bytes));
				if (message !== undefined) messages.push(message);
			} catch (error) {
				const { code } = error as NodeJS.ErrnoException;
				if (code === 'EAGAIN') break;
				if (code !== 'EPIPE') throw error;
			}
		return messages;
	}

	[Symbol.dispose](): void {
		closeSync(this.#fd);
	}
}

/** Pure: "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;MESSAGE", then lines of facts that begin with a space. Undefined for what is none. */
export function messageOfRecord(record: string): string | undefined {
	const [line = ''] = record.split('\n', 1);
	const end = line.indexOf(';');
	return end === -1 ? undefined : line.slice(end + 1);
}
