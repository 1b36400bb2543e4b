/** Requests for aggregated groups, sent on to the server behind them with the user's name in headers; upgrades too. */
import type { APIService } from '../../../api/gen/types.ts';
import { messageOf } from '../../../base/errors.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import type { Backend } from '../subresources/backend.ts';
import type { Address } from '../webhook/endpoints.ts';
import { goError } from '../webhook/go-errors.ts';
import { isAvailable } from './availability.ts';
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
	const query = request.query.toString();
	const tls = server.tls(service);
	return backend.pass(request, {
		scheme: 'https',
		...address,
		path: request.uri ?? `${request.path}${query === '' ? '' : `?${query}`}`,
		tls,
		drops: isRemoteHeader,
		headers: remoteHeaders(request.user),
		unreachable: (error) =>
			unavailable(`error trying to reach service: ${goError(error, address, tls.serverName ?? '') || messageOf(error)}`),
	});
}

/** As upstream's aggregator says it: a plain text. */
function unavailable(why: string): ApiResponse {
	const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
	return { type: 'bytes', status: 503, headers, body: Buffer.from(`${why}\n`) };
}
