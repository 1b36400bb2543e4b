/** What is wrong with a client's part of a handshake, in the words of golang.org/x/net/websocket. Pure. */
import type { Handshake } from './accept.ts';

export interface HandshakeFault {
	readonly status: 400 | 405;
	readonly text: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** What 16 bytes look like in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

export function handshakeFault({ method, headers }: Handshake): HandshakeFault | undefined {
	if (method !== 'GET') return { status: 405, text: 'bad method', headers: {} };
	if (!KEY.test(headers['sec-websocket-key'] ?? '')) return { status: 400, text: 'mismatch challenge/response', headers: {} };
	if (headers['sec-websocket-version'] === '13') return undefined;
	return { status: 400, text: 'missing or bad WebSocket Version', headers: { 'sec-websocket-version': '13' } };
}
