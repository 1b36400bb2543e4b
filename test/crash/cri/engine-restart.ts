/** An engine of its own is killed under a shim with pods, and comes back. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inOwnNamespaces, removeCgroups } from '../../conformance/critest/place.ts';
import type { Outcome } from './engine-restart-inside.ts';

export async function engineRestart(pods: number, outlives: boolean): Promise<Outcome> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-engine-restart-'));
	const cgroup = `/kubeling-engine-restart-${process.pid}`;
	const report = join(dir, 'outcome.json');
	try {
		const inside = join(import.meta.dirname, 'engine-restart-inside.ts');
		const code = await inOwnNamespaces(inside, [report, cgroup, String(pods), String(outlives)], process.env);
		if (code === 0) return JSON.parse(await readFile(report, 'utf8')) as Outcome;
		const said = await readFile(`${report}.dockerd`, 'utf8').catch(() => '');
		throw new Error(`the restart of the engine ended with exit code ${code}; the engine said: ${said.slice(-2000)}`);
	} finally {
		await removeCgroups(cgroup);
		await rm(dir, { recursive: true, force: true });
	}
}
