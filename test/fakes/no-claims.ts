/** An agent of whose pods none has claims. */
import { DynamicClaims } from '../../agent/dra/claims.ts';
import type { DraParts } from '../../agent/dra/of-agent.ts';
import { DraPlugins } from '../../agent/dra/plugins.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';

export function noClaims(client: Client, clock: Clock, log: Log): DraParts {
	const plugins = new DraPlugins({ client, clock, log, nodeName: 'node', registered: () => {} });
	return { plugins, claims: new DynamicClaims({ rootDir: '', bootId: '', client, plugins, log }, new Map()) };
}
