/** Engine errors in the project's vocabulary. */
import { AppError, type ErrorCode } from '../../base/errors.ts';

const CODES: Readonly<Record<number, ErrorCode>> = {
	400: 'InvalidArgument',
	401: 'Unauthenticated',
	403: 'PermissionDenied',
	404: 'NotFound',
	409: 'FailedPrecondition',
	500: 'Unknown',
	501: 'Unimplemented',
	503: 'Unavailable',
};

/** An AppError for what dockerode's transport threw: the engine's own message, the code from the HTTP status. */
export function engineError(error: unknown, what: string): AppError {
	const { statusCode, json, message, code } = error as {
		statusCode?: number;
		json?: { message?: string } | null;
		message?: string;
		code?: string;
	};
	if (statusCode === undefined) {
		if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'EACCES' || code === 'ECONNRESET')
			return new AppError('Unavailable', `Cannot reach Docker Engine (${what}): ${message ?? code}`, { cause: error });
		return new AppError('Unknown', `Docker Engine call ${what} failed: ${message ?? String(error)}`, { cause: error });
	}
	// For streams the transport has put the engine's words behind its own "(HTTP code …) reason - ".
	const text = json?.message ?? message?.trim().replace(/^\(HTTP code \d+\) .*? - /, '') ?? `HTTP ${statusCode}`;
	return new AppError(CODES[statusCode] ?? 'Unknown', text, { cause: error });
}
