/**
 * containerd's own CRI server and this shim are led through the same cases (test/suites/cri), and must answer alike. ALIKE='limits' takes some
 * of them, CONTAINERD=sid the containerd of a later Debian release.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { CRI_CASES } from '../../suites/cri/suite.ts';
import { layers } from '../critest/images.ts';
import { newerEngine, type Release, RELEASES } from '../critest/newer-engine.ts';
import { inOwnNamespaces, removeCgroups } from '../critest/place.ts';
import { whatIsMissing } from './needs.ts';

const SERVERS = ['containerd', 'shim'] as const;
const only = process.env['ALIKE'] ?? '';
const release = askedRelease(process.env['CONTAINERD']);
const OUTCOMES = join(import.meta.dirname, '..', '..', '..', '.cache', 'containerd-alike', release ?? 'machine');

type Answers = Readonly<Record<string, unknown>>;

const missing = await whatIsMissing();
let asked: Promise<readonly Answers[]> | undefined;

if (missing !== undefined) test(`skipped: ${missing}`, (t) => t.pass());
else
	for (const { name } of CRI_CASES.filter((c) => new RegExp(only).test(c.name)))
		test.serial(name, async (t) => {
			t.timeout(600_000);
			asked ??= askBoth();
			const [theirs, ours] = await asked;
			t.truthy(theirs?.[name]);
			t.deepEqual(ours?.[name], theirs?.[name]);
			t.false(JSON.stringify(theirs?.[name]).startsWith('{"error"'), 'neither can be led through this');
		});

/** Both at once, each in namespaces of its own. */
async function askBoth(): Promise<readonly Answers[]> {
	await layers();
	const bin = release === undefined ? '' : await newerEngine(release);
	return Promise.all(SERVERS.map((server) => ask(server, bin)));
}

async function ask(server: (typeof SERVERS)[number], bin: string): Promise<Answers> {
	const outcome = join(OUTCOMES, server);
	const cgroup = `/kubeling-alike-${process.pid}-${server}`;
	await rm(outcome, { recursive: true, force: true });
	await mkdir(outcome, { recursive: true });
	try {
		const code = await inOwnNamespaces(join(import.meta.dirname, 'inside.ts'), [outcome, cgroup, server, only, bin], process.env);
		if (code !== 0) throw new Error(`${server} ended with exit code ${code}; ${outcome} has the logs`);
	} finally {
		await removeCgroups(cgroup);
	}
	return JSON.parse(await readFile(join(outcome, 'answers.json'), 'utf8')) as Answers;
}

/** Undefined for the machine's own. */
function askedRelease(name: string | undefined): Release | undefined {
	if (name === undefined) return undefined;
	const release = (Object.keys(RELEASES) as readonly Release[]).find((known) => known === name);
	if (release === undefined) throw new Error(`CONTAINERD=${name}: not one of ${Object.keys(RELEASES).join(', ')}`);
	return release;
}
