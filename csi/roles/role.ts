/** What every sidecar role is given. */
import type { Clock } from '../../base/clock.ts';
import type { BackoffPolicy } from '../../base/backoff.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';
import type { DriverLink } from './driver-link.ts';

/** Without a driver: the snapshot controller knows none. */
export interface ControllerDeps {
	readonly client: Client;
	readonly informers: Informers;
	readonly recorder: EventRecorder;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Registry;
	/** Between tries of what failed: --retry-interval-start and --retry-interval-max. */
	readonly backoff: BackoffPolicy;
	/** Keys worked on at once: --worker-threads. */
	readonly workers: number;
}

export interface RoleDeps extends ControllerDeps {
	readonly driver: DriverLink;
}

/** The sidecars' defaults of --retry-interval-start and --retry-interval-max. */
export const RETRY: BackoffPolicy = { initialMs: 1000, maxMs: 300_000 };
