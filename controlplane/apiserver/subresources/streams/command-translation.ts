/** Commands over WebSockets of the fifth version, for kubelets that do not know them: as SPDY (upstream's StreamTranslatorHandler). */
import type { IncomingMessage } from 'node:http';
import { goQuote } from '../../../../api/go-quote.ts';
import type { Clock } from '../../../../base/clock.ts';
import { SPDY_COMMAND, type CommandWants } from '../../../../wire/remotecommand/session.ts';
import { translateCommand, type Behind } from '../../../../wire/remotecommand/translate.ts';
import { isSpdy, SPDY } from '../../../../wire/spdy/upgrade.ts';
import { refusedText } from '../../../../wire/upgrade/refused-text.ts';
import { handshakeFault } from '../../../../wire/websocket/handshake-fault.ts';
import type { ApiRequest, ApiResponse } from '../../contracts.ts';
import type { StreamMetrics } from '../../metrics/stream-metrics.ts';
import { requestError } from '../proxy/backend-errors.ts';
import type { Backend, BackendTarget } from '../proxy/backend.ts';
import type { Taken } from './stream-tunnel.ts';

interface Deps {
	readonly kubelets: Backend;
	readonly clock: Clock;
	readonly metrics: StreamMetrics;
}

/** More of a refusal is not told. */
const MAX_REFUSAL_BYTES = 64 * 1024;
const REDIRECTIONS = new Set([301, 302, 303, 307, 308]);

/** Answers with the WebSocket; what becomes of it is told inside. @param take of the request */
export function translated(
	{ kubelets, clock, metrics }: Deps,
	{ method, headers }: ApiRequest,
	take: Taken,
	wants: CommandWants,
	target: BackendTarget,
): ApiResponse {
	const handshake = { method, headers };
	const fault = handshakeFault(handshake);
	if (fault !== undefined) {
		metrics.translated(400);
		return { type: 'bytes', status: fault.status, headers: fault.headers, body: Buffer.from(fault.text) };
	}
	const { socket, head } = take();
	// In the background: it lasts as long as its sockets.
	translateCommand({ handshake, socket, head }, wants, {
		clock,
		behind: (signal) => behind(kubelets, target, signal),
		ended: ({ type }) => metrics.translated(type === 'exit' ? 200 : 500),
	}).catch(() => socket.destroy());
	return { type: 'upgraded' };
}

async function behind(kubelets: Backend, target: BackendTarget, signal: AbortSignal): Promise<Behind> {
	const headers = { upgrade: SPDY, 'x-stream-protocol-version': [...SPDY_COMMAND] };
	const answer = await kubelets.upgrade(target, 'POST', headers, signal).catch((error: unknown) => {
		throw new Error(requestError(error as Error, target), { cause: error });
	});
	if (answer.type === 'upgrade') {
		const { message, socket, head } = answer;
		if (isSpdy(message.headers)) return { socket, head, protocol: String(message.headers['x-stream-protocol-version'] ?? '') };
		socket.destroy();
		throw refused('');
	}
	const { message } = answer;
	const { location } = message.headers;
	if (location !== undefined && REDIRECTIONS.has(message.statusCode ?? 0)) {
		message.destroy();
		throw new Error(`error sending request: Post ${goQuote(location)}: redirect not allowed`);
	}
	throw refused(await said(message));
}

function refused(text: string): Error {
	return new Error(`unable to upgrade connection: ${text === '' ? 'empty server response' : text}`);
}

/** A Status says it in its message. */
async function said(message: IncomingMessage): Promise<string> {
	const text = await refusedText(message, MAX_REFUSAL_BYTES).finally(() => message.destroy());
	try {
		const told = JSON.parse(text) as { readonly message?: unknown; readonly error?: unknown } | null;
		return [told?.message, told?.error].find((word): word is string => typeof word === 'string' && word.trim() !== '')?.trim() ?? text;
	} catch {
		return text;
	}
}
