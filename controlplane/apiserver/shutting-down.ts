/** What is refused because the server stops. */
import { serviceUnavailable, StatusError } from '../../api/status.ts';

/** In the words of upstream's filters. */
export function shuttingDown(): StatusError {
	const { status } = serviceUnavailable('apiserver is shutting down');
	return new StatusError({ ...status, details: { retryAfterSeconds: 1 } });
}
