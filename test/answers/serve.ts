/** Starts an API server on a memory store with its bootstrap objects and the controllers the answers were recorded with; prints its URL and an administrator's token. */
import { aborted } from '../../base/abort.ts';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { runServices, type Service } from '../../base/service.ts';
import { Informers } from '../../client/informers.ts';
import { choosePlugins } from '../../controlplane/apiserver/admission/plugin-choice.ts';
import { createControllers } from '../../controlplane/controllers/controllers.ts';
import { testApiServer } from '../fakes/api-server.ts';

/** The others were not running when the answers were recorded. */
const RECORDED_WITH = [
	'namespace-controller',
	'serviceaccount-controller',
	'resourcequota-controller',
	'root-ca-certificate-publisher-controller',
	'generic-garbage-collector',
	'clusterrole-aggregation-controller',
	'disruption-controller',
];

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());
const log = createLog({ level: 'warn' });
const clock = realClock;
/** Upstream's default plugins are without NodeRestriction. */
const standard = { admissionPlugins: choosePlugins([], ['NodeRestriction']) };
const server = await testApiServer({ port: Number(process.argv[2] ?? 0), clock, log, standard }, stop.signal);
const { client } = server;
const informers = new Informers({ client, clock, log });
const controllers = createControllers({ client, informers, clock, log, rootCa: server.ca }).filter((s) => isWanted(s));
const running = runServices([informers, ...controllers], stop.signal);
running.catch((error: unknown) => {
	log.error('a controller failed', { error });
	process.exit(1);
});
process.stdout.write(`${server.url} ${server.token}\n`);
await aborted(stop.signal);
await running;
await server.stopped;

function isWanted(service: Service): boolean {
	return RECORDED_WITH.includes(service.name) || service.name.includes('event');
}
