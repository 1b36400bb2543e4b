/** Lines of CRI log files: `<time> <stdout|stderr> <F|P> <text>`. Pure. */

export interface LogLine {
	/** As written: RFC 3339 with nanoseconds. */
	readonly time: string;
	readonly stream: string;
	/** The line goes on in the next entry. */
	readonly partial: boolean;
	readonly text: Uint8Array;
}

const SPACE = 0x20;

/** Undefined for what is no log line. `line` comes without its newline. */
export function parseLogLine(line: Buffer): LogLine | undefined {
	const a = line.indexOf(SPACE);
	const b = line.indexOf(SPACE, a + 1);
	if (a < 0 || b < 0) return undefined;
	const c = line.indexOf(SPACE, b + 1);
	const tags = line.toString('latin1', b + 1, c < 0 ? line.length : c);
	const text = c < 0 ? Buffer.alloc(0) : line.subarray(c + 1);
	return { time: line.toString('latin1', 0, a), stream: line.toString('latin1', a + 1, b), partial: tags.split(':')[0] === 'P', text };
}
