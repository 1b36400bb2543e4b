/** Exec and attach as a client, over WebSocket or SPDY/3.1: the mirror image of the session that a server accepts. */
import { dialUpgrade, type UpgradeTarget } from '../upgrade/dial.ts';
import { dialWebSocket } from '../websocket/dial.ts';
import type { RemoteCommand } from './remote-command.ts';
import { protocolVersion, SPDY_COMMAND, type CommandWants } from './session.ts';
import { spdyCommand } from './spdy-client.ts';
import { webSocketCommand } from './websocket-client.ts';

/** Runs or joins the command that the URL names. AppError when the server refuses. */
export async function connectCommand(
	target: UpgradeTarget,
	wants: CommandWants,
	transport: 'websocket' | 'spdy',
	signal: AbortSignal,
): Promise<RemoteCommand> {
	if (transport === 'websocket') {
		const { socket, protocol } = await dialWebSocket(target, ['v5.channel.k8s.io', 'v4.channel.k8s.io'], signal);
		return webSocketCommand(socket, wants, protocolVersion(protocol));
	}
	const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': [...SPDY_COMMAND] };
	const { socket, head, headers: answer } = await dialUpgrade(target, 'POST', headers, signal);
	return spdyCommand(socket, head, wants, protocolVersion(String(answer['x-stream-protocol-version'] ?? '')));
}
