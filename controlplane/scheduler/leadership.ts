/** Who works where several schedulers run: the one that holds the lease. */
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Service } from '../../base/service.ts';
import { uuid } from '../../base/uuid.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/events.ts';
import { createLeaderElection } from '../../client/leader.ts';
import type { LeaderElectionSettings } from './configuration/leader-election.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	readonly recorder: EventRecorder;
}

/** The service itself where no leader is elected; else one that is ready at once, and does its work from term to term. */
export function workedByLeader(
	election: LeaderElectionSettings | undefined,
	{ client, clock, log, recorder }: Deps,
	work: Service,
): Service {
	if (election === undefined) return work;
	const identity = `${hostname()}_${uuid()}`;
	return createLeaderElection({
		...{ client, clock, log, recorder, identity, ...election },
		...{ name: work.name, after: work.after },
		lead: async (signal) => work.run(signal, () => {}),
	});
}
