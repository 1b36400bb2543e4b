/**
 * The official CRI suite (critest v1.36.0) against the shim, on an engine in namespaces of its own: `node test/conformance/critest/run.ts`, as
 * root. Prints what failed, each skip with its reason, and the score of both runs; below the recorded score (score.json) it fails.
 * `--engine=sid` (or trixie) takes Docker Engine of a later Debian release. Other arguments go to critest: `-ginkgo.focus=Image`; then no score is compared.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { lacked } from '../../tools/command.ts';
import { layers } from './images.ts';
import { newerEngine, releaseOf } from './newer-engine.ts';
import { inOwnNamespaces, removeCgroups } from './place.ts';
import { scoreOf, specsOf } from './report.ts';
import { excuse, findHas, skipFlags } from './skips.ts';
import { critest, debianPrograms } from './tools.ts';

const REPORTS = join(import.meta.dirname, '..', '..', '..', '.cache', 'critest');
const RUNS = ['spdy', 'websocket'] as const;
/** So many specs v1.36.0 has without benchmarks. */
const SPECS = 117;

const started = process.hrtime.bigint();
const focus = process.argv.slice(2).filter((a) => !a.startsWith('--engine='));
const totals = { passed: 0, failed: 0, skipped: 0 };
try {
	const missing = await whatIsMissing();
	if (missing === undefined) await score();
	else if (process.env['CI'] === 'true') throw new Error(missing);
	else {
		console.log(`skipped: ${missing}`);
		totals.skipped = SPECS * RUNS.length;
	}
} catch (error) {
	console.log(`✘ the CRI suite: ${messageOf(error)}`);
	totals.failed++;
}
console.log(`totals: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 ? 1 : 0;

async function whatIsMissing(): Promise<string | undefined> {
	if (process.getuid?.() !== 0) return 'the CRI suite needs root';
	const reason = await lacked(['dockerd', 'containerd', 'runc', 'go', 'apt-get', 'dpkg-deb', 'unshare', 'ip', 'iptables', 'ipcmk']);
	return reason === undefined ? undefined : `the CRI suite ${reason}`;
}

async function score(): Promise<void> {
	const release = releaseOf(process.argv);
	const [engine] = await Promise.all([release === undefined ? '' : newerEngine(release), critest(), debianPrograms()]);
	await layers();
	await rm(REPORTS, { recursive: true, force: true });
	await Promise.all(RUNS.map((streams) => runOver(streams, engine)));
	for (const streams of RUNS) await tell(streams);
	console.log(`took ${Math.round(Number(process.hrtime.bigint() - started) / 1e9)} s`);
}

/** Both at once, each on an engine of its own: most of the time they wait. */
async function runOver(streams: string, engine: string): Promise<void> {
	const reports = join(REPORTS, streams);
	await mkdir(reports, { recursive: true });
	const cgroup = `/kubeling-critest-${process.pid}-${streams}`;
	let code = 1;
	try {
		code = await inOwnNamespaces(
			join(import.meta.dirname, 'inside.ts'),
			[reports, cgroup, streams, engine, ...(await skipFlags()), ...focus],
			process.env,
		);
	} finally {
		await removeCgroups(cgroup);
	}
	if (code !== 0) throw new Error(`over ${streams} it ended with exit code ${code}; ${reports} has the logs`);
}

async function tell(name: string): Promise<void> {
	const engine = JSON.parse(await readFile(join(REPORTS, name, 'engine.json'), 'utf8')) as { version: string; api: string };
	const specs = specsOf(await readFile(join(REPORTS, name, 'report.json'), 'utf8'));
	const has = await findHas(engine.api);
	for (const spec of specs) {
		if (spec.result === 'failed') console.log(`✘ ${name}: ${spec.name}: ${spec.message}`);
		if (spec.result !== 'skipped' || focus.length > 0) continue;
		const reason = excuse(spec, has);
		console.log(
			reason === undefined ? `✘ ${name}: ${spec.name}: skipped without need: ${spec.message}` : `- ${spec.name}: skipped, ${reason}`,
		);
		if (reason === undefined) totals.failed++;
	}
	const got = scoreOf(specs);
	totals.passed += got.passed;
	totals.failed += got.failed;
	totals.skipped += got.skipped;
	console.log(
		`critest over ${name} on Engine ${engine.version}: ${got.passed} of ${specs.length} passed, ${got.failed} failed, ${got.skipped} skipped`,
	);
	if (focus.length > 0) return;
	const recorded = JSON.parse(await readFile(join(import.meta.dirname, 'score.json'), 'utf8')) as Record<string, number>;
	const [major = ''] = engine.version.split('.');
	const floor = recorded[major] ?? recorded['20'] ?? 0;
	if (got.passed >= floor) return;
	console.log(`✘ ${name}: ${got.passed} specs passed where ${floor} had`);
	totals.failed++;
}
