/** The node's shutdown, wired to an agent's workers. */
import { join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentContext } from '../context.ts';
import { nodeEvent } from '../node/node-event.ts';
import type { PodWorkers } from '../pod/workers.ts';
import { connectLogin } from './login.ts';
import { NodeShutdown, STATE_FILE } from './shutdown.ts';

const CONNECT_MS = 25_000;

export function shutdownOf(context: AgentContext, workers: PodWorkers, changed: () => void): NodeShutdown {
	const { options, clock, log, figures } = context;
	return new NodeShutdown({
		...{ clock, log, changed },
		settings: settingsIn(options).shutdown,
		connect: async (signal) => {
			using deadline = withDeadline(clock, CONNECT_MS, 'reaching logind', signal);
			return await connectLogin(deadline.signal);
		},
		pods: () => workers.active,
		disrupt: (uid, disruption, graceMs) => void workers.disrupt(uid, disruption, graceMs),
		stopped: (uid, signal) => workers.stopped(uid, signal),
		event: (type, reason, message) => nodeEvent(context, type, reason, message),
		stateFile: join(options.rootDir, STATE_FILE),
		registry: figures.registry,
	});
}
