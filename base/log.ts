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
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
	readonly level?: LogLevel;
	/** Where lines go; standard error unless told. */
	readonly write?: (line: string) => void;
}

/** A log that writes one JSON line per call. Errors in a field named `error` keep message, code and cause. */
export function createLog(options: LogOptions = {}): Log {
	const write = options.write ?? ((line: string): void => void process.stderr.write(line));
	const destination: DestinationStream = { write };
	const root = pino(
		{
			level: options.level ?? 'info',
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (level) => ({ level }) },
			serializers: { error: errorFields },
		},
		destination,
	);
	return wrap(root);
}

/** A log that drops everything. */
export const noLog: Log = createLog({ level: 'silent' });

type Pino = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> & { child(fields: Fields): Pino };

function wrap(p: Pino): Log {
	return {
		debug: (message, fields = {}) => p.debug(fields, message),
		info: (message, fields = {}) => p.info(fields, message),
		warn: (message, fields = {}) => p.warn(fields, message),
		error: (message, fields = {}) => p.error(fields, message),
		with: (fields) => wrap(p.child(fields)),
	};
}

function errorFields(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	const { message, cause } = error;
	const code = (error as { code?: unknown }).code;
	return { message, ...(code === undefined ? {} : { code }), ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
