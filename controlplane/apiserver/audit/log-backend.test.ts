/** The audit log as a file: what a line looks like, and what becomes of it when it has grown too large. */
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { createLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { AuditEvent } from './event.ts';
import { LogBackend, type LogBackendOptions } from './log-backend.ts';
import { planOldLogs } from './old-logs.ts';

const event = (over: Partial<AuditEvent> = {}): AuditEvent => ({
	...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: 'i', stage: 'ResponseComplete', requestURI: '/' },
	...{ verb: 'get', user: {}, requestReceivedTimestamp: '', stageTimestamp: '', ...over },
});
const large = event({ requestURI: `/${'x'.repeat(6000)}` });

const folder = async (t: { teardown(f: () => Promise<void>): void }): Promise<string> => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-audit-'));
	t.teardown(() => rm(dir, { recursive: true }));
	return dir;
};
const backend = (path: string, over: Partial<LogBackendOptions> = {}, clock = new VirtualClock(), told: string[] = []): LogBackend =>
	new LogBackend(
		{ path, maxAgeDays: 0, maxBackups: 0, maxMegabytes: 0.01, compress: false, format: 'json', ...over },
		clock,
		(by) => told.push(by),
		createLog({ level: 'error' }),
	);

test('a line is JSON as Go writes it', async (t) => {
	const path = join(await folder(t), 'audit.log');
	const file = backend(path);
	t.true(await file.send([event({ requestURI: '/api?a=<b>&c' })]));
	await file.close();
	t.true((await readFile(path, 'utf8')).includes(String.raw`"requestURI":"/api?a=\u003cb\u003e\u0026c"`));
});

test('an event that cannot be written takes none of those that follow with it', async (t) => {
	const told: string[] = [];
	const file = backend(join(await folder(t), 'audit.log'), {}, new VirtualClock(), told);
	const circular: Record<string, unknown> = {};
	circular['self'] = circular;
	t.false(await file.send([event({ responseObject: circular })]));
	t.true(await file.send([event()]));
	t.deepEqual(told, ['log']);
	await file.close();
});

test('the log is rotated by size, and only so many old files stay', async (t) => {
	const dir = await folder(t);
	const clock = new VirtualClock();
	const file = backend(join(dir, 'audit.log'), { maxBackups: 2 }, clock);
	for (let i = 0; i < 10; i++) {
		t.true(await file.send([large]));
		await clock.advance(1000);
	}
	await file.close();
	const files = await readdir(dir);
	t.is(files.length, 3);
	for (const name of files)
		t.is((JSON.parse((await readFile(join(dir, name), 'utf8')).split('\n', 1)[0] as string) as AuditEvent).kind, 'Event');
});

test('whoever could read the log can read the next one', async (t) => {
	const dir = await folder(t);
	const path = join(dir, 'audit.log');
	const file = backend(path);
	t.true(await file.send([large]));
	t.is((await stat(path)).mode & 0o777, 0o600);
	await chmod(path, 0o640);
	t.true(await file.send([large]));
	await file.close();
	t.is((await readdir(dir)).length, 2);
	t.is((await stat(path)).mode & 0o777, 0o640);
});

test('a log that somebody else has moved away costs no event', async (t) => {
	const dir = await folder(t);
	const path = join(dir, 'audit.log');
	const told: string[] = [];
	const file = backend(path, {}, new VirtualClock(), told);
	t.true(await file.send([large]));
	await rename(path, join(dir, 'elsewhere'));
	t.true(await file.send([large]));
	await file.close();
	t.deepEqual((await readdir(dir)).toSorted(), ['audit.log', 'elsewhere']);
	t.deepEqual(told, []);
});

test('old files are compressed beside what is written; what a crash broke off is done anew', async (t) => {
	const dir = await folder(t);
	const path = join(dir, 'audit.log');
	const broken = join(dir, 'audit-1970-01-01T00-00-00.001.log');
	await writeFile(broken, 'whole\n', { mode: 0o640 });
	await writeFile(`${broken}.gz`, 'half');
	const file = backend(path, { compress: true }, new VirtualClock(5000));
	t.true(await file.send([large]));
	t.true(await file.send([event()]));
	t.true(await file.send([large]));
	await file.close();
	t.deepEqual((await readdir(dir)).toSorted(), [
		'audit-1970-01-01T00-00-00.001.log.gz',
		'audit-1970-01-01T00-00-05.000.log.gz',
		'audit.log',
	]);
	t.is(gunzipSync(await readFile(`${broken}.gz`)).toString(), 'whole\n');
	t.is((await stat(`${broken}.gz`)).mode & 0o777, 0o640);
});

test('a log that is a device is not rotated: it would be moved away', async (t) => {
	const dir = await folder(t);
	await symlink('/dev/null', join(dir, 'null'));
	const file = backend(join(dir, 'null'), { maxBackups: 2, maxMegabytes: 0.001 });
	for (let i = 0; i < 3; i++) t.true(await file.send([large]));
	await file.close();
	t.deepEqual(await readdir(dir), ['null']);
});

const DAY = 86_400_000;
const OLD = ['audit-1970-01-01T00-00-00.000.log', 'audit-1970-01-02T00-00-00.000.log.gz', 'audit-1970-01-03T00-00-00.000.log'] as const;
for (const [name, names, options, want] of [
	['all stay', OLD, {}, { remove: [], compress: [] }],
	['the newest stay', OLD, { maxBackups: 2 }, { remove: [OLD[0]], compress: [] }],
	['the young ones stay', OLD, { maxAgeDays: 3 }, { remove: [OLD[0]], compress: [] }],
	['what is not compressed is', OLD, { maxBackups: 2, compress: true }, { remove: [OLD[0]], compress: [OLD[2]] }],
	['a file and its compressed form are one', [...OLD, `${OLD[0]}.gz`], { maxBackups: 3 }, { remove: [], compress: [] }],
	['and go together', [...OLD, `${OLD[0]}.gz`], { maxBackups: 2 }, { remove: [OLD[0], `${OLD[0]}.gz`], compress: [] }],
	[
		'other files are not ours',
		['audit.log', 'audit-1970-01-01.log', 'audit-1970-01-01T00-00-00.000.txt', `${OLD[0]}.bak`, `my${OLD[0]}`, 'audit-x.log'],
		{ maxAgeDays: 1, compress: true },
		{ remove: [], compress: [] },
	],
] as const)
	test(`planOldLogs(): ${name}`, (t) => {
		const { remove, compress } = planOldLogs(
			names,
			{ path: '/l/audit.log', maxAgeDays: 0, maxBackups: 0, compress: false, ...options },
			3.5 * DAY,
		);
		t.deepEqual({ remove: [...remove], compress: [...compress] }, { remove: [...want.remove], compress: [...want.compress] });
	});
