/** The livenessprobe: whether the driver answers, for the kubelet that asks by HTTP. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Service } from '../../base/service.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { IdentityService } from '../proto.ts';
import { createHttpService, type HttpAnswer, type HttpOptions } from './http-service.ts';

/** Its host and --health-port, and: */
export interface LivenessOptions extends HttpOptions {
	/** --csi-address */
	readonly address: string;
	/** --probe-timeout */
	readonly timeoutMs: number;
}

/** GET /healthz: 200 "ok", or 500 with the reason. */
export function createLivenessProbe(options: LivenessOptions, { clock, log }: { readonly clock: Clock; readonly log: Log }): Service {
	return {
		name: 'csi-liveness-probe',
		after: [],
		async run(signal, ready) {
			const identity = await grpcClient(IdentityService, { address: options.address, clock });
			const probe = async (): Promise<HttpAnswer> => {
				try {
					const { ready: isReady } = await identity.probe({}, { timeoutMs: options.timeoutMs, signal });
					return isReady === false ? { status: 500, text: 'driver responded but is not ready' } : { status: 200, text: 'ok' };
				} catch (error) {
					log.warn('the driver does not answer', { reason: messageOf(error) });
					return { status: 500, text: messageOf(error) };
				}
			};
			try {
				await createHttpService('', options, { '/healthz': probe }).run(signal, ready);
			} finally {
				identity.close();
			}
		},
	};
}
