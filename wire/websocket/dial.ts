/** Opening WebSockets with subprotocols that have a slash in their name, which `ws` refuses to ask for. */
import type { WebSocket } from 'ws';
import { AppError } from '../../base/errors.ts';
import { refusal, tlsOptions, type UpgradeTarget } from '../upgrade/dial.ts';

/** Resolves with the socket, paused, and the subprotocol that the server chose; AppError when it refuses. */
export async function dialWebSocket(
	target: UpgradeTarget,
	protocols: readonly string[],
	signal: AbortSignal,
): Promise<{ readonly socket: WebSocket; readonly protocol: string }> {
	const { WebSocket } = await import('ws');
	signal.throwIfAborted();
	const url = new URL(target.url);
	url.protocol = url.protocol.replace('http', 'ws');
	// Asked for by hand and taken off the answer before `ws` compares it: see above.
	const headers = { ...target.headers, 'sec-websocket-protocol': protocols.join(', ') };
	const socket = new WebSocket(url, [], { headers, perMessageDeflate: false, ...tlsOptions(target) });
	let protocol = '';
	return new Promise((resolve, reject) => {
		const onAbort = (): void => socket.terminate();
		signal.addEventListener('abort', onAbort, { once: true });
		const settled = (): void => signal.removeEventListener('abort', onAbort);
		socket.once('upgrade', (response) => {
			protocol = response.headers['sec-websocket-protocol'] ?? '';
			delete response.headers['sec-websocket-protocol'];
		});
		socket.once('unexpected-response', (request, response) => {
			settled();
			refusal(response)
				.then(reject, reject)
				.finally(() => request.destroy());
		});
		socket.on('error', (cause) => {
			settled();
			reject(
				signal.aborted ? (signal.reason as Error) : new AppError('Unavailable', `Cannot reach "${url.host}": ${cause.message}`, { cause }),
			);
		});
		socket.once('open', () => {
			settled();
			socket.pause(); // messages right behind the answer wait until somebody listens
			resolve({ socket, protocol });
		});
	});
}
