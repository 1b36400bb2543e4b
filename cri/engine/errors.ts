/** Engine errors in the project's vocabulary. */
import { AppError, messageOf, type ErrorCode } from '../../base/errors.ts';

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

/** What the engine said no with: its own message, the code from the HTTP status. */
export function refused(statusCode: number, body: string): AppError {
	return new AppError(CODES[statusCode] ?? 'Unknown', told(body) ?? (body.trim() || `HTTP ${statusCode}`));
}

function told(body: string): string | undefined {
	try {
		return (JSON.parse(body) as { readonly message?: string } | null)?.message;
	} catch {
		return undefined;
	}
}

/** For a request that came to no answer. */
export function unreachable(cause: unknown, what: string): AppError {
	const { code } = cause as NodeJS.ErrnoException;
	if (code !== undefined && UNREACHABLE.includes(code))
		return new AppError('Unavailable', `Cannot reach Docker Engine (${what}): ${messageOf(cause) || code}`, { cause });
	return new AppError('Unknown', `Docker Engine call ${what} failed: ${messageOf(cause)}`, { cause });
}

const UNREACHABLE = ['ENOENT', 'ECONNREFUSED', 'EACCES', 'ECONNRESET', 'EPIPE'];
