/** RFC 3339 times read as Go's time.Parse reads them, and refused in its words. */
import { AppError } from '../base/errors.ts';

export interface ReadTime {
	/** Of its whole second. */
	readonly ms: number;
	/** Digits behind the point. */
	readonly fraction: string;
	/** Minutes east of UTC. */
	readonly offset: number;
}

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const LOCAL = '2006-01-02T15:04:05';
const DATE = '2006-01-02';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';

/** AppError InvalidArgument; with `micro` the six digits of a MicroTime must be there. */
export function readTime(text: string, micro = false): ReadTime {
	const reader = new Reader(text, micro ? RFC3339_MICRO : RFC3339);
	return read(
		reader,
		() => (micro ? reader.micros() : reader.fraction()),
		() => reader.zone(),
	);
}

/** A time without a zone is of UTC. AppError InvalidArgument. */
export function readLocalTime(text: string): ReadTime {
	const reader = new Reader(text, LOCAL);
	return read(
		reader,
		() => reader.fraction(),
		() => 0,
	);
}

/** AppError InvalidArgument. */
export function readDate(text: string): ReadTime {
	const reader = new Reader(text, DATE);
	const day = dayOf(reader);
	reader.end();
	return { ms: day.start(), fraction: '', offset: 0 };
}

function read(reader: Reader, fractionOf: () => string, zoneOf: () => number): ReadTime {
	const day = dayOf(reader);
	reader.literal('T');
	const hour = reader.number('15', false, 0, 23, 'hour');
	reader.literal(':');
	const minute = reader.number('04', true, 0, 59, 'minute');
	reader.literal(':');
	const second = reader.number('05', true, 0, 59, 'second');
	const fraction = fractionOf();
	const offset = zoneOf();
	reader.end();
	return { ms: day.start() + ((hour * 60 + minute) * 60 + second) * 1000 - offset * 60_000, fraction, offset };
}

/** Whether a month has such a day is looked at last, as in Go: `start` is its first ms, or refuses it. */
function dayOf(reader: Reader): { readonly start: () => number } {
	const year = reader.year();
	reader.literal('-');
	const month = reader.number('01', true, 1, 12, 'month');
	reader.literal('-');
	const day = reader.number('02', true, 0, 99, 'day');
	const start = (): number => {
		const utc = new Date(0);
		utc.setUTCFullYear(year, month - 1, day);
		if (day < 1 || utc.getUTCDate() !== day) throw reader.refused(': day out of range');
		return utc.getTime();
	};
	return { start };
}

class Reader {
	readonly #text: string;
	readonly #layout: string;
	#rest: string;

	constructor(text: string, layout: string) {
		this.#text = text;
		this.#layout = layout;
		this.#rest = text;
	}

	refused(what: string): AppError {
		return new AppError('InvalidArgument', `parsing time ${quoted(this.#text)}${what}`);
	}

	/** The text at hand is not what the layout has there. */
	#bad(element: string): AppError {
		return this.refused(` as "${this.#layout}": cannot parse ${quoted(this.#rest)} as "${element}"`);
	}

	#take(pattern: RegExp, element: string): RegExpExecArray {
		const match = pattern.exec(this.#rest);
		if (match === null) throw this.#bad(element);
		this.#rest = this.#rest.slice(match[0].length);
		return match;
	}

	literal(char: string): void {
		if (!this.#rest.startsWith(char)) throw this.#bad(char);
		this.#rest = this.#rest.slice(1);
	}

	year(): number {
		return Number(this.#take(/^\d{4}/, '2006')[0]);
	}

	number(element: string, twoDigits: boolean, min: number, max: number, what: string): number {
		const value = Number(this.#take(twoDigits ? /^\d\d/ : /^\d\d?/, element)[0]);
		if (value < min || value > max) throw this.refused(`: ${what} out of range`);
		return value;
	}

	fraction(): string {
		const match = /^[.,](\d+)/.exec(this.#rest);
		this.#rest = this.#rest.slice(match?.[0].length ?? 0);
		return match?.[1] ?? '';
	}

	micros(): string {
		return this.#take(/^[.,](\d{6})/, '.000000')[1] ?? '';
	}

	/** Minutes east of UTC. */
	zone(): number {
		const [, sign = '', hours = '0', minutes = '0'] = this.#take(/^(?:Z|([+-])(\d\d):(\d\d))/, 'Z07:00');
		if (Number(hours) > 24) throw this.refused(': time zone offset hour out of range');
		if (Number(minutes) > 60) throw this.refused(': time zone offset minute out of range');
		return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
	}

	end(): void {
		if (this.#rest !== '') throw this.refused(`: extra text: ${quoted(this.#rest)}`);
	}
}

/** Go's time package quotes by bytes. */
function quoted(text: string): string {
	const byte = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`;
	const escaped = Array.from(Buffer.from(text), (code) => {
		if (code === 0x22 || code === 0x5c) return `\\${String.fromCharCode(code)}`;
		return code < 0x20 || code >= 0x80 ? byte(code) : String.fromCharCode(code);
	});
	return `"${escaped.join('')}"`;
}
