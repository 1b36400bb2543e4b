/** Commands over WebSockets of the fifth version begin before the kubelet is asked, so that what fails then is told inside of the stream (upstream's StreamTranslatorHandler). */
import { internalError } from '../../../api/status.ts';
import { acceptWebSocket, offeredProtocols } from '../../../wire/websocket/accept.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { clientError } from './backend-errors.ts';
import type { BackendTarget } from './backend.ts';

const PROTOCOL = 'v5.channel.k8s.io';
/** The channel of what became of the command. */
const ERROR_CHANNEL = 3;
const NORMAL_CLOSURE = 1000;

/** How to answer when the kubelet cannot be reached; undefined: as any other request is. */
export function failsInside(request: ApiRequest, target: BackendTarget): ((error: Error) => Promise<ApiResponse>) | undefined {
	const { method, headers, upgrade } = request;
	if (upgrade === undefined || headers['upgrade']?.toLowerCase() !== 'websocket') return undefined;
	if (!offeredProtocols({ headers }).includes(PROTOCOL)) return undefined;
	return async (error) => {
		const {
			kind: _kind,
			apiVersion: _version,
			...told
		} = internalError(`error sending request: ${clientError(error, target, 'Post').message}`).status;
		const { socket, head } = upgrade();
		const stream = await acceptWebSocket({ method, headers }, socket, head, PROTOCOL);
		stream.on('error', () => {});
		stream.send(Buffer.concat([Buffer.of(ERROR_CHANNEL), Buffer.from(JSON.stringify(told))]));
		stream.close(NORMAL_CLOSURE);
		stream.resume();
		return { type: 'upgraded' };
	};
}
