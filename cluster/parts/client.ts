/** A client of the API server from files, over HTTP/2: certificates are read anew for each connection, so that renewed ones take effect. */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { createTransport } from '../../client/http2.ts';
import { createClient } from '../../client/rest.ts';
import type { TransportMetrics } from '../../client/transport-metrics.ts';
import type { ApiAccess } from './config.ts';

/** @param metrics absent: nobody counts */
export function clientOf(access: ApiAccess, clock: Clock, userAgent: string, metrics?: TransportMetrics): Client {
	const tls = async (): Promise<{ ca: string; cert: string; key: string }> => {
		const [ca, cert, key] = await Promise.all([access.caFile, access.certFile, access.keyFile].map((path) => readFile(path, 'utf8')));
		return { ca: ca ?? '', cert: cert ?? '', key: key ?? '' };
	};
	const transport = createTransport({ server: access.server, tls, clock });
	return createClient(metrics?.measured(transport, new URL(access.server).host) ?? transport, { userAgent });
}
