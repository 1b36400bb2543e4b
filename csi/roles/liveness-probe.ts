/** The livenessprobe: whether the driver answers, for the kubelet that asks by HTTP. */
import { createServer } from 'node:http';
import { aborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Service } from '../../base/service.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { IdentityService } from '../proto.ts';

export interface LivenessOptions {
	/** --csi-address */
	readonly address: string;
	/** --health-port and its host; port 0: any, told in the log. */
	readonly host: string;
	readonly port: number;
	/** --probe-timeout */
	readonly timeoutMs: number;
	/** Told where it listens. */
	readonly onListening?: (port: number) => void;
}

/** GET /healthz: 200 "ok", or 500 with the reason. */
export function createLivenessProbe(options: LivenessOptions, { clock, log }: { readonly clock: Clock; readonly log: Log }): Service {
	return {
		name: 'csi-liveness-probe',
		after: [],
		async run(signal, ready) {
			const identity = await grpcClient(IdentityService, { address: options.address, clock });
			const probe = async (): Promise<readonly [number, string]> => {
				try {
					const { ready: isReady } = await identity.probe({}, { timeoutMs: options.timeoutMs, signal });
					return isReady === false ? [500, 'driver responded but is not ready'] : [200, 'ok'];
				} catch (error) {
					log.warn('the driver does not answer', { reason: messageOf(error) });
					return [500, messageOf(error)];
				}
			};
			const server = createServer((request, response) => {
				if (request.url !== '/healthz') return void response.writeHead(404).end();
				probe().then(
					([status, text]) => void response.writeHead(status, { 'content-type': 'text/plain' }).end(text),
					() => response.destroy(),
				);
			});
			try {
				await new Promise<void>((resolve, reject) => {
					server.once('error', reject);
					server.listen(options.port, options.host, resolve);
				});
				const bound = server.address();
				options.onListening?.(typeof bound === 'object' && bound !== null ? bound.port : options.port);
				ready();
				await aborted(signal);
			} finally {
				server.closeAllConnections();
				await new Promise((resolve) => server.close(resolve));
				identity.close();
			}
		},
	};
}
