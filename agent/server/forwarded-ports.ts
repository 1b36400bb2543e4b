/** The ports that a WebSocket's channels are for stand in its URL; over SPDY each stream names its own (upstream's cri-streaming, NewV4Options). */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { asksTunnel } from '../../wire/remotecommand/asked.ts';

/** AppError InvalidArgument where a port is none, or there is none. */
export function forwardedPorts({ headers }: Pick<IncomingMessage, 'headers'>, query: URLSearchParams): readonly number[] {
	if (!/^websocket$/i.test(headers.upgrade ?? '') || asksTunnel(headers)) return [];
	const texts = query.getAll('port');
	if (texts.length === 0) throw new AppError('InvalidArgument', 'query parameter "port" is required');
	return texts.flatMap((text) => {
		if (text === '') throw new AppError('InvalidArgument', 'query parameter "port" cannot be empty');
		return text.split(',').map((one) => portOf(one, text));
	});
}

/** @param of the whole parameter, which messages quote */
function portOf(text: string, of: string): number {
	const unreadable = (why: string): AppError =>
		new AppError(
			'InvalidArgument',
			`unable to parse ${JSON.stringify(of)} as a port: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
		);
	if (!/^\d+$/.test(text)) throw unreadable('invalid syntax');
	const port = Number(text);
	if (port > 65_535) throw unreadable('value out of range');
	if (port === 0) throw new AppError('InvalidArgument', `port ${JSON.stringify(of)} must be > 0`);
	return port;
}
