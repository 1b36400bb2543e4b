/**
 * The shim's own integration tests on Docker Engine of a later Debian release: `node test/conformance/critest/integration.ts --engine=sid [FILES]`, as
 * root. (`npm test` runs them on this machine's engine.)
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newerEngine, releaseOf } from './newer-engine.ts';
import { inOwnNamespaces, removeCgroups } from './place.ts';

const release = releaseOf(process.argv) ?? 'sid';
const given = process.argv.slice(2).filter((a) => !a.startsWith('--engine='));
const files = given.length > 0 ? given : ['cri/*.integration.test.ts', 'cri/images/*.integration.test.ts'];
const logs = join(import.meta.dirname, '..', '..', '..', '.cache', 'critest', 'integration');
const cgroup = `/kubeling-integration-${process.pid}`;
await mkdir(logs, { recursive: true });
try {
	const args = [logs, cgroup, await newerEngine(release), ...files];
	process.exitCode = await inOwnNamespaces(join(import.meta.dirname, 'integration-inside.ts'), args, process.env);
} finally {
	await removeCgroups(cgroup);
}
