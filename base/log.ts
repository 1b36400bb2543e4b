/** Structured log: a message and fields. pino underneath; lines of JSON, or one readable line each for people. */
import { pino, type DestinationStream, type Logger } from 'pino';

export type Fields = Readonly<Record<string, unknown>>;

export interface Log {
	debug(message: string, fields?: Fields): void;
	info(message: string, fields?: Fields): void;
	warn(message: string, fields?: Fields): void;
	error(message: string, fields?: Fields): void;
	/** A log that adds these fields to every line. */
	with(fields: Fields): Log;
	/** From now on, for every log that came of one: lines of this level and above; undefined: as it began. */
	setLevel?(level: LogLevel | undefined): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
	readonly level?: LogLevel;
	/** Where lines go; standard error unless told. */
	readonly write?: (line: string) => void;
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** A log that writes one JSON line per call. Errors in a field named `error` keep message, code and cause. */
export function createLog(options: LogOptions = {}): Log {
	const write = options.write ?? ((line: string): void => void process.stderr.write(line));
	const destination: DestinationStream = { write };
	const level = options.level ?? 'info';
	const root = pino(
		{
			// What is written is decided below, for all children at once; a silent log stays silent.
			level: level === 'silent' ? 'silent' : 'debug',
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (level) => ({ level }) },
			serializers: { error: errorFields },
		},
		destination,
	);
	return wrap(root, { began: level, least: RANKS[level] });
}

/** A log that drops everything. */
export const noLog: Log = createLog({ level: 'silent' });

type Pino = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> & { child(fields: Fields): Pino };

interface Threshold {
	readonly began: LogLevel;
	least: number;
}

function wrap(p: Pino, threshold: Threshold): Log {
	const at =
		(level: Exclude<LogLevel, 'silent'>): Log['info'] =>
		(message, fields = {}) => {
			if (RANKS[level] >= threshold.least) p[level](fields, message);
		};
	return {
		debug: at('debug'),
		info: at('info'),
		warn: at('warn'),
		error: at('error'),
		with: (fields) => wrap(p.child(fields), threshold),
		setLevel: (level = threshold.began) => void (threshold.least = RANKS[level]),
	};
}

function errorFields(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	const { message, cause } = error;
	const code = (error as { code?: unknown }).code;
	return { message, ...(code === undefined ? {} : { code }), ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
