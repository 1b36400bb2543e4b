/** Limits by name, in folders that stand for control groups. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { checkLimits, writeLimits } from './cgroup-limits.ts';

const none = { hugepages: [], unified: {} };
const huge = (pageSize: string): typeof none => ({ ...none, hugepages: [{ pageSize, bytes: 4n << 20n }] as never });

for (const [name, limits] of [
	['a path for a size', huge('../2MB')],
	['a path for a key', { ...none, unified: { '../memory.high': '1' } }],
	['moving processes', { ...none, unified: { 'cgroup.procs': '1' } }],
] as const)
	test(`no limit: ${name}`, (t) => t.throws(() => checkLimits(limits, 2), { code: 'InvalidArgument' }));
test('no limit: files of version 2 on version 1', (t) =>
	t.throws(() => checkLimits({ ...none, unified: { 'memory.high': '1' } }, 1), { code: 'InvalidArgument' }));

test('written where the host has them; pages of a size that it does not count are left out', async (t) => {
	const path = await mkdtemp(join(tmpdir(), 'kubeling-groups-'));
	t.teardown(() => rm(path, { recursive: true, force: true }));
	await writeFile(join(path, 'hugetlb.2MB.max'), 'max');
	await writeFile(join(path, 'memory.high'), 'max');
	const limits = { hugepages: [...huge('2MB').hugepages, ...huge('1GB').hugepages], unified: { 'memory.high': '5' } };
	await writeLimits({ version: 2, path }, limits);
	t.is(await readFile(join(path, 'hugetlb.2MB.max'), 'utf8'), String(4 << 20));
	t.regex(await readFile(join(path, 'memory.high'), 'utf8'), /^5/);
	await t.throwsAsync(writeLimits({ version: 2, path }, { ...none, unified: { 'no.such': '1' } }), { code: 'InvalidArgument' });
	await mkdir(join(path, 'v1'));
	await writeFile(join(path, 'v1/hugetlb.2MB.limit_in_bytes'), '0');
	await writeLimits({ version: 1, paths: { hugetlb: join(path, 'v1') } }, huge('2MB'));
	t.is(await readFile(join(path, 'v1/hugetlb.2MB.limit_in_bytes'), 'utf8'), String(4 << 20));
	await t.notThrowsAsync(writeLimits({ version: 1, paths: {} }, huge('2MB')));
});
