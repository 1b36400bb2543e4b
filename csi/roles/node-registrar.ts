/** The node-driver-registrar: tells the kubelet of somebody's driver, for as long as it runs. */
import { aborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Service } from '../../base/service.ts';
import { registerPlugin } from '../registrar.ts';
import { linkDriver } from './driver-link.ts';

export interface NodeRegistrarOptions {
	/** --csi-address */
	readonly address: string;
	/** --kubelet-registration-path: the CSI socket as the kubelet sees it. */
	readonly endpoint: string;
	/** --plugin-registration-path */
	readonly dir: string;
	/** --timeout */
	readonly timeoutMs: number;
}

/** Fails when the kubelet refuses the driver, as upstream's does: whoever started it tries again. */
export function createNodeRegistrar(options: NodeRegistrarOptions, { clock, log }: { readonly clock: Clock; readonly log: Log }): Service {
	return {
		name: 'csi-node-driver-registrar',
		after: [],
		async run(signal, ready) {
			const { address, endpoint, dir, timeoutMs } = options;
			let driverName: string;
			try {
				using driver = await linkDriver({ address, timeoutMs, clock, log }, signal);
				driverName = driver.name;
			} catch (error) {
				if (signal.aborted) return;
				throw error;
			}
			const refused = new AbortController();
			const onRefused = (error: AppError): void => refused.abort(error);
			const registration = await registerPlugin({ dir, driverName, endpoint, clock, log, onRefused });
			ready();
			await Promise.race([aborted(signal), aborted(refused.signal)]);
			await registration.stop();
			if (!signal.aborted) throw refused.signal.reason as Error;
		},
	};
}
