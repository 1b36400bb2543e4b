/** A body over a WebSocket (logs): each piece of it is one message, as bytes or as base64. What the client sends is not looked at. Follows upstream's wsstream.Reader. */
import type { WebSocket } from 'ws';
import { acceptWebSocket, offeredProtocols } from '../../../wire/websocket/accept.ts';
import { BEARER_SUBPROTOCOL } from '../authn/websocket-bearer.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';

/** A client has nothing to say. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const BASE64 = 'base64.binary.k8s.io';
const PROTOCOLS: readonly string[] = ['binary.k8s.io', BASE64];
// Of RFC 6455, 7.4.1.
const NORMAL_CLOSURE = 1000;
const INTERNAL_ERROR = 1011;

/** The subprotocol to answer with, '' when none is asked for; undefined when only others are. */
export function readerProtocol(request: Pick<ApiRequest, 'headers'>): string | undefined {
	const offered = offeredProtocols(request).filter((protocol) => !protocol.startsWith(BEARER_SUBPROTOCOL));
	return offered.length === 0 ? '' : offered.find((protocol) => PROTOCOLS.includes(protocol));
}

/** Resolves with the handshake; the pieces follow. @param gone aborted when the client is */
export async function answerPieces(
	{ method, headers }: ApiRequest,
	take: NonNullable<ApiRequest['upgrade']>,
	protocol: string,
	body: AsyncIterable<Uint8Array>,
	gone: AbortController,
): Promise<ApiResponse> {
	const { socket, head } = take();
	socket.once('close', () => gone.abort());
	const webSocket = await acceptWebSocket({ method, headers }, socket, head, protocol, MAX_MESSAGE_BYTES);
	// It closes itself.
	webSocket.on('error', () => {});
	webSocket.resume();
	// In the background: the request is answered with the handshake.
	pump(webSocket, body, protocol === BASE64).then(
		() => webSocket.close(NORMAL_CLOSURE),
		() => webSocket.close(INTERNAL_ERROR),
	);
	return { type: 'upgraded' };
}

async function pump(webSocket: WebSocket, body: AsyncIterable<Uint8Array>, asText: boolean): Promise<void> {
	for await (const piece of body)
		await new Promise<void>((resolve, reject) =>
			webSocket.send(asText ? Buffer.from(piece).toString('base64') : piece, { binary: !asText }, (error) =>
				error == null ? resolve() : reject(error),
			),
		);
}
