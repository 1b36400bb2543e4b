/** Requests for aggregated groups, sent on to the server behind them with the user's name in headers; upgrades too. */
import { Readable } from 'node:stream';
import type { APIService } from '../../../api/gen/types.ts';
import { messageOf } from '../../../base/errors.ts';
import { hostPort } from '../../../base/host-port.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import type { Backend } from '../subresources/proxy/backend.ts';
import { proxiedAnswer } from '../subresources/proxy/proxied-answer.ts';
import type { Address } from '../webhook/endpoints.ts';
import { goError } from '../webhook/go-errors.ts';
import { isAvailable } from './availability.ts';
import { forwardedHeaders, forwardedUri } from './forwarded.ts';
import { isRemoteHeader, remoteHeaders } from './remote-headers.ts';
import type { RemoteServer } from './remote-server.ts';

export async function proxied(request: ApiRequest, service: APIService, server: RemoteServer, backend: Backend): Promise<ApiResponse> {
	if (!isAvailable(service)) return unavailable('service unavailable');
	let address: Address;
	try {
		address = server.address(service);
	} catch {
		return unavailable('service unavailable');
	}
	const tls = server.tls(service);
	const path = forwardedUri(request);
	const to = hostPort(address.host, address.port);
	const isUpgrade = request.upgrade !== undefined;
	const answer = await backend.pass(request, {
		scheme: 'https',
		...address,
		path,
		tls,
		drops: isRemoteHeader,
		headers: {
			...remoteHeaders(request.user),
			...(request.auditId === undefined ? {} : { 'audit-id': request.auditId }),
			...(isUpgrade ? {} : forwardedHeaders(path, to)),
		},
		unreachable: (error) =>
			unavailable(`error trying to reach service: ${goError(error, address, tls.serverName ?? '') || messageOf(error)}`),
	});
	if (isUpgrade || answer.type !== 'stream') return answer;
	if (answer.status >= 300 && answer.status < 400 && (answer.headers['location'] ?? '') !== '') {
		if (answer.body instanceof Readable) answer.body.destroy(); // nobody reads it
		return redirectRefused();
	}
	const client = request.headers['host'] ?? request.headers[':authority'] ?? '';
	return proxiedAnswer(request.method, answer, { prefix: '', backend: to, client });
}

/** Clients would go where the server sends them, with what they know us by. */
function redirectRefused(): ApiResponse {
	const why = 'the backend attempted to redirect this request, which is not permitted';
	return { type: 'bytes', status: 502, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(why) };
}

/** As upstream's aggregator says it: a plain text. */
function unavailable(why: string): ApiResponse {
	const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
	return { type: 'bytes', status: 503, headers, body: Buffer.from(`${why}\n`) };
}
