/**
 * The official CSI suite (csi-sanity, two versions) against the driver: `node test/conformance/csi-sanity/run.ts`, as root. In mount and in block mode on
 * loop images, in mount mode on folders and, where the kernel has it, on btrfs; both of these keep raw blocks in the same images. Prints what failed, what
 * was skipped, what the driver left behind, and the scores; below the recorded ones (score.json) it fails. Arguments go to csi-sanity; then nothing is compared.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import type { BackendKind } from '../../../csi/backends/kinds.ts';
import { lacked, run } from '../../tools/command.ts';
import { scoreOf } from '../critest/report.ts';
import { oneRun } from './one-run.ts';
import { kernelHasBtrfs } from './place.ts';
import { fileSystemPrograms } from './programs.ts';
import { SANITY_VERSIONS, type SanityVersion } from './tools.ts';

const REPORTS = join(import.meta.dirname, '..', '..', '..', '.cache', 'csi-sanity');
const RUNS: readonly (readonly [SanityVersion, BackendKind, 'mount' | 'block'])[] = [
	['v5.6.0', 'loop', 'mount'],
	['v5.6.0', 'loop', 'block'],
	['v5.6.0', 'directory', 'mount'],
	['v5.6.0', 'btrfs', 'mount'],
	['v5.5.0', 'loop', 'mount'],
	['v5.5.0', 'loop', 'block'],
];

const started = process.hrtime.bigint();
const more = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
try {
	const missing = await whatIsMissing();
	if (missing === undefined) await score();
	else if (process.env['CI'] === 'true') throw new Error(missing);
	else skip(RUNS, missing);
} catch (error) {
	console.log(`✘ the CSI suite: ${messageOf(error)}`);
	totals.failed++;
}
console.log(`totals: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 ? 1 : 0;

async function whatIsMissing(): Promise<string | undefined> {
	if (process.getuid?.() !== 0) return 'the CSI suite needs root';
	const reason = await lacked(['go', 'losetup', 'mkfs.ext4', 'fsfreeze']);
	if (reason !== undefined) return `the CSI suite ${reason}`;
	const probe = await run('sh', [
		'-c',
		'f=$(mktemp) && truncate -s 1M "$f" && d=$(losetup -f --show "$f") && losetup -d "$d"; c=$?; rm -f "$f"; exit $c',
	]);
	return probe.code === 0 ? undefined : `the kernel gives no loop devices: ${probe.stderr.trim()}`;
}

/** For want of these the loop back end cannot be asked either. */
function skip(runs: typeof RUNS, reason: string): void {
	for (const [version, backend, access] of runs) {
		console.log(`- csi-sanity ${version} on ${backend}, ${access}: skipped, ${reason}`);
		totals.skipped += SANITY_VERSIONS[version];
	}
}

async function score(): Promise<void> {
	const recorded = JSON.parse(await readFile(join(import.meta.dirname, 'score.json'), 'utf8')) as Record<string, number>;
	const btrfs = await lacksBtrfs();
	for (const one of RUNS) {
		if (one[1] === 'btrfs' && btrfs !== undefined) skip([one], btrfs);
		else await tell(one, recorded);
	}
	console.log(`took ${Math.round(Number(process.hrtime.bigint() - started) / 1e9)} s`);
}

async function lacksBtrfs(): Promise<string | undefined> {
	if (!(await fileSystemPrograms())) return 'there is no mkfs.btrfs and none could be fetched';
	return (await kernelHasBtrfs()) ? undefined : 'the kernel has no btrfs';
}

async function tell([version, backend, access]: (typeof RUNS)[number], recorded: Readonly<Record<string, number>>): Promise<void> {
	const name = `${version} ${backend} ${access}`;
	const reports = join(REPORTS, name.replaceAll(' ', '-'));
	const { specs, leaks } = await oneRun({ version, backend, access, reports, more });
	for (const spec of specs) {
		if (spec.result === 'failed') console.log(`✘ ${name}: ${spec.name}: ${spec.message}`);
		if (spec.result === 'skipped' && more.length === 0) console.log(`- ${name}: ${spec.name}: skipped: ${spec.message}`);
	}
	for (const leak of leaks) console.log(`✘ ${name}: left behind: ${leak}`);
	const got = scoreOf(specs);
	totals.passed += got.passed;
	totals.failed += got.failed + leaks.length;
	totals.skipped += got.skipped;
	console.log(
		`csi-sanity ${version} on ${backend}, ${access}: ${got.passed} of ${specs.length} passed, ${got.failed} failed, ${got.skipped} skipped`,
	);
	if (more.length > 0 || got.passed >= (recorded[name] ?? 0)) return;
	console.log(`✘ ${name}: ${got.passed} specs passed where ${recorded[name]} had`);
	totals.failed++;
}
