/** Descriptions reach people: a real kubectl's `explain` shows those of the bundle. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { writeDocumentation } from '../../cli/documentation.ts';
import { testApiServer } from '../fakes/api-server.ts';
import { kubectl } from '../tools/kubectl.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

test('kubectl explain shows the descriptions of a type and of its fields', async (t) => {
	const stop = new AbortController();
	const home = await mkdtemp(join(tmpdir(), 'kubeling-explain-'));
	await writeDocumentation(root, join(root, 'dist', 'documentation.json'));
	const server = await testApiServer({ port: 0, clock: realClock, log: createLog({ level: 'error' }) }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await server.stopped;
		await rm(home, { recursive: true });
	});
	const explain = async (what: string): Promise<string> => {
		const flags = ['--server', server.url, '--token', server.token, '--insecure-skip-tls-verify', '--cache-dir', home];
		return (await run(await kubectl(), [...flags, 'explain', what], { env: { HOME: home } })).stdout.replaceAll(/\s+/g, ' ');
	};
	t.regex(await explain('pod.spec'), /activeDeadlineSeconds <integer> Optional duration in seconds/);
	t.regex(await explain('deployment'), /Deployment enables declarative updates for Pods and ReplicaSets/);
});
