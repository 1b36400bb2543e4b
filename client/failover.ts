/**
 * One Transport over several API servers of a cluster: requests go to one of them until it cannot be reached, then to the next. What was only read,
 * or never left this machine, is asked again there; anything else fails as it would with one server, and whoever asks again reaches the next.
 */
import { codeOf } from '../base/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** The connection was never made: nothing was sent. */
const UNREACHED = new Set([
	...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'],
]);

/** @param transports at least one; the first is asked first */
export function failover(transports: readonly Transport[], onSwitch: (to: number) => void = () => {}): Transport {
	let current = 0;
	/** Away from `from`, unless somebody has done so. */
	const leave = (from: number): void => {
		if (from !== current || transports.length < 2) return;
		current = (current + 1) % transports.length;
		onSwitch(current);
	};
	const attempt = async <T>(mayRepeat: boolean, signal: AbortSignal, work: (transport: Transport) => Promise<T>): Promise<T> => {
		for (let tries = 1; ; tries++) {
			const at = current;
			try {
				return await work(transports[at] as Transport);
			} catch (error) {
				if (signal.aborted || !isAway(error)) throw error;
				leave(at);
				if (tries >= transports.length || !(mayRepeat || neverSent(error))) throw error;
			}
		}
	};
	return {
		request: (request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> =>
			attempt(request.method === 'GET', signal, (transport) => transport.request(request, signal)),
		upgrade: (request, signal) => attempt(false, signal, (transport) => transport.upgrade(request, signal)),
		close: async () => {
			await Promise.all(transports.map((transport) => transport.close()));
		},
	};
}

function isAway(error: unknown): boolean {
	return ['Unavailable', 'DeadlineExceeded'].includes(codeOf(error));
}

function neverSent(error: unknown): boolean {
	for (let at: unknown = error; at instanceof Error; at = at.cause)
		if (UNREACHED.has((at as NodeJS.ErrnoException).code ?? '')) return true;
	return false;
}
