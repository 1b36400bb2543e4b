/**
 * A watch over a WebSocket: each event is one message, of text for JSON and of bytes for protobuf. The events are those that a plain watch
 * gets, and so is what refuses it; what the client sends is not looked at. Follows upstream's WatchServer.HandleWS and the handshake of
 * golang.org/x/net/websocket below it: any one subprotocol is agreed to, and a client must say where it comes from.
 */
import { acceptWebSocket, offeredProtocols } from '../../../wire/websocket/accept.ts';
import { handshakeFault } from '../../../wire/websocket/handshake-fault.ts';
import { BEARER_SUBPROTOCOL } from '../authn/websocket-bearer.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import type { PushedBody } from './pushed-body.ts';

type Headers = ApiRequest['headers'];

/** A client has nothing to say. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** A protobuf event on a stream has its length before it; a message has a length of its own. */
const LENGTH_BYTES = 4;
// Of RFC 6455, 7.4.1.
const NORMAL_CLOSURE = 1000;
const INTERNAL_ERROR = 1011;

/** Undefined: the request is none for a WebSocket, whatever else it may want to upgrade to. */
export function socketAsked({ upgrade, headers }: ApiRequest): ApiRequest['upgrade'] {
	return headers['upgrade']?.toLowerCase() === 'websocket' ? upgrade : undefined;
}

/** Has the body's events sent, or refuses the handshake. @param take of `socketAsked` */
export async function answerMessages(
	{ method, headers }: ApiRequest,
	take: NonNullable<ApiRequest['upgrade']>,
	body: PushedBody,
	isText: boolean,
): Promise<ApiResponse> {
	const protocols = offeredProtocols({ headers }).filter((protocol) => !protocol.startsWith(BEARER_SUBPROTOCOL));
	const refused = refusal(method, headers, protocols);
	if (refused !== undefined) {
		body.close();
		return refused;
	}
	const { socket, head } = take();
	try {
		const webSocket = await acceptWebSocket({ method, headers }, socket, head, protocols[0] ?? '', MAX_MESSAGE_BYTES);
		// It closes itself.
		webSocket.on('error', () => {});
		socket.on('drain', () => body.resume());
		const close = (): void => body.close();
		// After the client's word that it closes, and after no word.
		socket.once('finish', close);
		socket.once('close', close);
		body.start({
			write(bytes, sizes = [bytes.length]) {
				let at = 0;
				socket.cork();
				for (const size of sizes) {
					webSocket.send(bytes.subarray(isText ? at : at + LENGTH_BYTES, at + size), { binary: !isText });
					at += size;
				}
				socket.uncork();
				return !socket.writableNeedDrain;
			},
			// As upstream, it does not wait for the client's word.
			end(error) {
				webSocket.close(error === undefined ? NORMAL_CLOSURE : INTERNAL_ERROR);
				socket.end();
			},
		});
		webSocket.resume();
	} catch (error) {
		body.close();
		throw error;
	}
	return { type: 'upgraded' };
}

/** In upstream's order. */
function refusal(method: string, headers: Headers, protocols: readonly string[]): ApiResponse | undefined {
	const fault = handshakeFault({ method, headers });
	if (fault !== undefined) return plain(fault.status, fault.text, fault.headers);
	if (!isOrigin(headers['origin'])) return plain(403, '');
	// There is none to choose by.
	return protocols.length > 1 ? plain(400, '') : undefined;
}

/** Whichever it is; "null", a browser's word for one that it does not tell, is none. */
function isOrigin(origin = ''): boolean {
	return origin.startsWith('/') || URL.canParse(origin);
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
	const body = Buffer.from(text);
	return {
		type: 'bytes',
		status,
		headers: body.length === 0 ? headers : { ...headers, 'content-type': 'text/plain; charset=utf-8' },
		body,
	};
}
