/** Lines of container logs: CRI's `<time> <stdout|stderr> <F|P> <text>`, and Docker's JSON, which upstream reads too. Pure. */

export interface LogLine {
	/** As written: RFC 3339 with nanoseconds. */
	readonly time: string;
	readonly stream: string;
	/** The line goes on in the next entry. */
	readonly partial: boolean;
	readonly text: Uint8Array;
}

const SPACE = 0x20;
const BRACE = 0x7b;

/** Undefined for what is no log line. `line` comes without its newline. */
export function parseLogLine(line: Buffer): LogLine | undefined {
	if (line[0] === BRACE) return parseDockerLine(line);
	const a = line.indexOf(SPACE);
	const b = line.indexOf(SPACE, a + 1);
	if (a < 0 || b < 0) return undefined;
	const c = line.indexOf(SPACE, b + 1);
	const tags = line.toString('latin1', b + 1, c < 0 ? line.length : c);
	const text = c < 0 ? Buffer.alloc(0) : line.subarray(c + 1);
	return { time: line.toString('latin1', 0, a), stream: line.toString('latin1', a + 1, b), partial: tags.split(':')[0] === 'P', text };
}

/** `{"log":"text\\n","stream":"stdout","time":"…"}`: the text has its newline, unless it goes on. */
function parseDockerLine(line: Buffer): LogLine | undefined {
	let entry: unknown;
	try {
		entry = JSON.parse(line.toString('utf8'));
	} catch {
		return undefined;
	}
	const { log, stream, time } = entry as Readonly<Record<string, unknown>>;
	if (typeof log !== 'string' || typeof stream !== 'string' || typeof time !== 'string') return undefined;
	const whole = log.endsWith('\n');
	return { time: inNanoseconds(time), stream, partial: !whole, text: Buffer.from(whole ? log.slice(0, -1) : log) };
}

/** Docker leaves out the zeros at the end. */
function inNanoseconds(time: string): string {
	const [, seconds = '', fraction = '', zone = ''] = /^([^.Z+]*)(?:\.(\d+))?(.*)$/.exec(time) ?? [];
	return `${seconds}.${fraction.padEnd(9, '0')}${zone}`;
}
