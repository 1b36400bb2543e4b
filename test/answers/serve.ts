/** Starts an API server on a memory store with its bootstrap objects, and prints its URL and an administrator's token. */
import { realClock } from '../../base/clock.ts';
import { aborted } from '../../base/abort.ts';
import { createLog } from '../../base/log.ts';
import { testApiServer } from '../fakes/api-server.ts';

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());
const server = await testApiServer(
	{ port: Number(process.argv[2] ?? 0), clock: realClock, log: createLog({ level: 'warn' }) },
	stop.signal,
);
process.stdout.write(`${server.url} ${server.token}\n`);
await aborted(stop.signal);
await server.stopped;
