/** Which WebSockets end their streams one by one, which servers that speak SPDY alone do not know (streaming's wsstream). Pure. */
import { offeredProtocols, type Handshake } from '../websocket/accept.ts';

type Headers = Handshake['headers'];

/** The subprotocol of commands whose input can end alone. */
export const STREAM_CLOSE = 'v5.channel.k8s.io';
const TUNNEL_PREFIX = 'SPDY/3.1+';
const SUFFIX = '.k8s.io';

/** A command whose input can end alone. */
export function asksStreamClose(headers: Headers): boolean {
	return isWebSocket(headers) && offeredProtocols({ headers }).includes(STREAM_CLOSE);
}

/** SPDY inside of a WebSocket. */
export function asksTunnel(headers: Headers): boolean {
	return isWebSocket(headers) && tunnelledProtocols(headers).length > 0;
}

/** What SPDY is offered to carry inside of the WebSocket. */
export function tunnelledProtocols(headers: Headers): readonly string[] {
	return offeredProtocols({ headers })
		.filter((name) => name.startsWith(TUNNEL_PREFIX) && name.endsWith(SUFFIX))
		.map((name) => name.slice(TUNNEL_PREFIX.length));
}

/** The subprotocol that such a WebSocket is answered with; '' where the server behind chose none. */
export function tunnelOf(protocol: string): string {
	return protocol === '' ? '' : `${TUNNEL_PREFIX}${protocol}`;
}

function isWebSocket(headers: Headers): boolean {
	return headers.upgrade?.toLowerCase() === 'websocket';
}
