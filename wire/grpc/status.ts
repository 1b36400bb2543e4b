/** AppError and gRPC status: the one place where they are mapped. Codes have the same names. */
import { STATUS_CODES } from 'node:http';
import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { AppError, codeOf, messageOf, type ErrorCode } from '../../base/errors.ts';

/** gRPC's numbers (grpc.io, status codes). */
const NUMBERS: Readonly<Record<ErrorCode, number>> = {
	Canceled: 1,
	Unknown: 2,
	InvalidArgument: 3,
	DeadlineExceeded: 4,
	NotFound: 5,
	AlreadyExists: 6,
	PermissionDenied: 7,
	ResourceExhausted: 8,
	FailedPrecondition: 9,
	Aborted: 10,
	OutOfRange: 11,
	Unimplemented: 12,
	Internal: 13,
	Unavailable: 14,
	DataLoss: 15,
	Unauthenticated: 16,
};

const CODES = new Map<number, ErrorCode>(Object.entries(NUMBERS).map(([code, number]) => [number, code as ErrorCode]));

/** Anything thrown as the headers of a gRPC status. */
export function statusHeaders(error: unknown): { readonly 'grpc-status': string; readonly 'grpc-message': string } {
	return { 'grpc-status': String(NUMBERS[codeOf(error)]), 'grpc-message': percentEncoded(messageOf(error)) };
}

export type Status = 'ok' | AppError;

/** Undefined where headers tell none. */
export function readStatus(headers: IncomingHttpHeaders): Status | undefined {
	const number = headers['grpc-status'];
	if (typeof number !== 'string') return undefined;
	if (number === '0') return 'ok';
	return new AppError(CODES.get(Number(number)) ?? 'Unknown', percentDecoded(String(headers['grpc-message'] ?? '')));
}

/** What a peer's 64 KiB of headers hold beside all else. */
const MAX_MESSAGE_CHARS = 32 * 1024;

/** Spaces to tildes stay, but for the percent sign (gRPC over HTTP/2, Status-Message) and for spaces at either end, which HTTP/2 allows no header. */
function percentEncoded(text: string): string {
	if (text.length <= MAX_MESSAGE_CHARS && !/[^ -$&-~]|^ | $/.test(text)) return text;
	return escaped(text.slice(0, MAX_MESSAGE_CHARS))
		.replace(/^ | $/g, '%20')
		.slice(0, MAX_MESSAGE_CHARS)
		.replace(/%[0-9A-F]?$| $/, '');
}

function escaped(text: string): string {
	return [...Buffer.from(text)]
		.map((byte) =>
			byte < 0x20 || byte > 0x7e || byte === 0x25 ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}` : String.fromCharCode(byte),
		)
		.join('');
}

/** What is not encoded well stays as it is. */
function percentDecoded(text: string): string {
	if (!text.includes('%')) return text;
	const bytes = text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** What an answer says that is none of gRPC's (gRPC, HTTP to gRPC Status Code Mapping). */
export function ofHttp({ ':status': status = 0, 'content-type': contentType }: IncomingHttpHeaders & IncomingHttpStatusHeader): AppError {
	const words = `unexpected HTTP status code received from server: ${status} (${STATUS_CODES[status] ?? ''})`;
	if (status !== 200) return new AppError(HTTP_CODES[status] ?? 'Unknown', words);
	return new AppError(
		'Unknown',
		contentType === undefined
			? 'malformed header: missing HTTP content-type'
			: `transport: received unexpected content-type "${contentType}"`,
	);
}

const HTTP_CODES: Readonly<Record<number, ErrorCode>> = {
	400: 'Internal',
	401: 'Unauthenticated',
	403: 'PermissionDenied',
	404: 'Unimplemented',
	429: 'Unavailable',
	502: 'Unavailable',
	503: 'Unavailable',
	504: 'Unavailable',
};

/** What a stream says that was reset (gRPC, HTTP2 Transport Mapping, Errors). */
export function ofReset(code: number): AppError {
	const [name = 'unknown', meaning = 'Internal'] = RESETS[code] ?? [];
	return new AppError(meaning, `stream terminated by RST_STREAM with error code: ${name}`);
}

const RESETS: readonly (readonly [string, ErrorCode])[] = [
	['NO_ERROR', 'Internal'],
	['PROTOCOL_ERROR', 'Internal'],
	['INTERNAL_ERROR', 'Internal'],
	['FLOW_CONTROL_ERROR', 'Internal'],
	['SETTINGS_TIMEOUT', 'Internal'],
	['STREAM_CLOSED', 'Unknown'],
	['FRAME_SIZE_ERROR', 'Internal'],
	['REFUSED_STREAM', 'Unavailable'],
	['CANCEL', 'Canceled'],
	['COMPRESSION_ERROR', 'Internal'],
	['CONNECT_ERROR', 'Internal'],
	['ENHANCE_YOUR_CALM', 'ResourceExhausted'],
	['INADEQUATE_SECURITY', 'PermissionDenied'],
	['HTTP_1_1_REQUIRED', 'Internal'],
];

/** A call's failure as Go's clients print it. */
export class RpcError extends AppError {
	/** The server's own words. */
	readonly said: string;
	constructor(code: ErrorCode, said: string, options?: ErrorOptions) {
		super(code, `rpc error: code = ${code} desc = ${said}`, options);
		this.said = said;
	}

	/** gRPC's, of the code. */
	get number(): number {
		return NUMBERS[this.code];
	}
}

/** The message without what Go's clients put before it (status.FromError). */
export function saidBy(error: unknown): string {
	return error instanceof RpcError ? error.said : messageOf(error);
}

/** What a client says itself of a call whose connection is gone. */
export function lost(cause: unknown): AppError {
	if (cause instanceof AppError) return cause;
	const reset = (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
	return new AppError('Unavailable', `error reading from server: ${reset ? 'connection reset by peer' : 'EOF'}`, { cause });
}

/** What a client says itself of a call that took too long, as Go's do. */
export function late(): AppError {
	return new AppError('DeadlineExceeded', 'context deadline exceeded');
}

/** A failure of a call as Go's clients print it. */
export function inGo(failure: AppError): RpcError {
	return new RpcError(failure.code, failure.message, { cause: failure });
}
