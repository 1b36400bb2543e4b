/** Port-forward inside of WebSockets, for kubelets that do not know it: what is inside is SPDY already (upstream's TunnelingHandler). */
import { tunnelledProtocols, tunnelOf } from '../../../../wire/remotecommand/asked.ts';
import { isSpdy, SPDY } from '../../../../wire/spdy/upgrade.ts';
import { tie } from '../../../../wire/upgrade/tie.ts';
import { acceptWebSocket } from '../../../../wire/websocket/accept.ts';
import { handshakeFault } from '../../../../wire/websocket/handshake-fault.ts';
import { webSocketTunnel } from '../../../../wire/websocket/tunnel.ts';
import type { ApiRequest, ApiResponse } from '../../contracts.ts';
import type { StreamMetrics } from '../../metrics/stream-metrics.ts';
import type { Backend, BackendTarget, Upgraded } from '../proxy/backend.ts';

export type Taken = NonNullable<ApiRequest['upgrade']>;

interface Deps {
	readonly kubelets: Backend;
	readonly metrics: StreamMetrics;
}

/** What the kubelet is not to see of the handshake; extensions it would not look at. */
const HANDSHAKE = new Set(['sec-websocket-protocol', 'sec-websocket-key', 'sec-websocket-version', 'x-stream-protocol-version']);

export async function tunnelled(
	{ kubelets, metrics }: Deps,
	request: ApiRequest,
	take: Taken,
	target: BackendTarget,
): Promise<ApiResponse> {
	const protocols = tunnelledProtocols(request.headers);
	const answer = await kubelets.pass(request, {
		...target,
		asks: { method: 'POST', upgrade: SPDY },
		drops: (name) => HANDSHAKE.has(name),
		headers: { ...target.headers, 'x-stream-protocol-version': [...protocols] },
		upgraded: (upgraded) => opened(request, take, protocols, upgraded, metrics),
	});
	if (answer.type === 'stream') metrics.tunnelled(answer.status);
	return answer;
}

/** The client's part of the handshake is looked at when the kubelet has done its own, as upstream does. */
async function opened(
	{ method, headers }: ApiRequest,
	take: Taken,
	protocols: readonly string[],
	{ message, socket: back, head: backHead }: Upgraded,
	metrics: StreamMetrics,
): Promise<ApiResponse> {
	const refuse = (status: number, text: string, own: Readonly<Record<string, string>> = {}): ApiResponse => {
		metrics.tunnelled(500);
		back.destroy();
		return {
			type: 'bytes',
			status,
			headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...own },
			body: Buffer.from(`${text}\n`),
		};
	};
	if (!isSpdy(message.headers)) return refuse(500, 'unable to upgrade: missing upgrade headers in response');
	const fault = handshakeFault({ method, headers });
	if (fault !== undefined) return refuse(fault.status, REFUSALS[fault.status], { 'sec-websocket-version': '13' });
	const chosen = String(message.headers['x-stream-protocol-version'] ?? '').trim();
	metrics.tunnelled(101);
	const { socket, head } = take();
	try {
		const webSocket = await acceptWebSocket({ method, headers }, socket, head, protocols.includes(chosen) ? tunnelOf(chosen) : '');
		const front = webSocketTunnel(webSocket, socket);
		if (backHead.length > 0) front.write(backHead);
		tie(front, back);
	} catch (error) {
		back.destroy();
		throw error;
	}
	return { type: 'upgraded' };
}

const REFUSALS = { 400: 'Bad Request', 405: 'Method Not Allowed' } as const;
