/** Listens to a driver that tells how its devices are, for as long as it is registered. */
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { DRAResourceHealthService } from '../../wire/gen/dra-health.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import type { DeviceHealth } from './health.ts';

/** Upstream's 5 s at the longest. */
const AGAIN = { initialMs: 500, maxMs: 5000 };

export interface FollowedDriver {
	readonly driver: string;
	readonly endpoint: string;
	readonly health: DeviceHealth;
	readonly clock: Clock;
	readonly log: Log;
}

/** Resolves when the signal aborts, or the driver has no such service: one that has it later registers anew. */
export async function followHealth({ driver, endpoint, health, clock, log }: FollowedDriver, signal: AbortSignal): Promise<void> {
	const listen = async (): Promise<void> => {
		const client = await grpcClient(DRAResourceHealthService, { address: endpoint, clock, goErrors: true });
		try {
			for await (const answer of client.nodeWatchResources({}, { signal })) {
				signal.throwIfAborted();
				health.told(driver, answer);
			}
		} finally {
			client.close();
		}
		throw new AppError('Unavailable', 'the driver has ended its list');
	};
	const again = (error: unknown): boolean => {
		health.forget(driver);
		if (error instanceof AppError && error.code === 'Unimplemented') return false;
		log.info('a driver does not tell how its devices are', { driver, reason: messageOf(error) });
		return true;
	};
	await retrying(clock, AGAIN, signal, listen, again).catch(() => {});
}
