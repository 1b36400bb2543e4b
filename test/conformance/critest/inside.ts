/** Runs inside the suite's namespaces: registry, engine, shim, then critest. Arguments: the folder for reports, the cgroup, over what streams go, the engine's folder, and critest's own. */
import { spawn } from 'node:child_process';
import { chmod, open, readFile, writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { createShim } from '../../../cri/shim.ts';
import { startEngine, SOCKET } from './engine.ts';
import { DIGEST_IMAGE } from './images.ts';
import { prepareHost, RUN } from './place.ts';
import { REGISTRIES, startRegistry } from './registry.ts';
import { critest } from './tools.ts';

const FLAGS: Readonly<Record<string, readonly string[]>> = {
	spdy: [],
	websocket: ['-websocket-exec', '-websocket-attach', '-websocket-portforward'],
};
const CRI = join(RUN, 'cri.sock');

const [reports = '', cgroupParent = '', streams = '', engineFolder = '', ...more] = process.argv.slice(2);

await prepareHost(REGISTRIES.map((name) => `127.0.0.1 ${name}`));
const [engine, registry] = await Promise.all([startEngine(join(reports, 'dockerd.log'), cgroupParent, engineFolder), startRegistry(RUN)]);
const digest = registry.digests.get(`${DIGEST_IMAGE}:latest`) ?? '';
const suite = await suiteForDigest(await critest(), digest);

const stop = new AbortController();
const ready = Promise.withResolvers<void>();
const lines = createWriteStream(join(reports, 'shim.log'));
const deps = { clock: realClock, log: createLog({ level: 'debug', write: (line) => void lines.write(line) }), metrics: createMetrics() };
const options = { socketPath: CRI, dockerHost: SOCKET, dataDir: join(RUN, 'shim'), clusterName: 'critest', cgroupParent };
const shim = createShim(options, deps).run(stop.signal, ready.resolve);
await Promise.race([ready.promise, shim]);

await writeFile(join(reports, 'engine.json'), JSON.stringify({ version: engine.engineVersion, api: engine.apiVersion }));
await runSuite();
stop.abort();
await shim;
process.exit(0); // the engine and the registry end with the namespaces

/**
 * One spec pulls an image by a digest that the suite has as a constant, and only upstream's registry has what it stands for. So that it
 * can be served here, the constant is exchanged for the digest of the suite's own image: 64 characters for 64, in a copy of the binary.
 */
async function suiteForDigest(path: string, mine: string): Promise<string> {
	const binary = await readFile(path);
	const theirs = /test-image-digest@(sha256:[0-9a-f]{64})/.exec(binary.toString('latin1'))?.[1] ?? '';
	if (theirs.length !== mine.length) throw new Error(`critest has no digest to exchange: "${theirs}" for "${mine}"`);
	for (let at = binary.indexOf(theirs); at >= 0; at = binary.indexOf(theirs, at + 1)) binary.write(mine, at, 'latin1');
	const to = join(RUN, 'critest');
	await writeFile(to, binary);
	await chmod(to, 0o755);
	return to;
}

/** The score is in the report; specs that fail make critest's exit code 1, which is no failure here. */
async function runSuite(): Promise<void> {
	const log = await open(join(reports, 'critest.log'), 'w');
	const endpoints = [`-runtime-endpoint=unix://${CRI}`, `-image-endpoint=unix://${CRI}`];
	const ginkgo = ['-ginkgo.v', '-ginkgo.no-color', `-ginkgo.json-report=${join(reports, 'report.json')}`];
	const child = spawn(suite, [...endpoints, ...ginkgo, ...(FLAGS[streams] ?? []), ...more], {
		cwd: RUN,
		stdio: ['ignore', log.fd, log.fd],
		env: { ...process.env, TMPDIR: join(RUN, 'tmp') },
	});
	await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
	await log.close();
}
