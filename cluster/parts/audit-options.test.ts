/** Flags of the audit log: upstream's defaults, what it refuses, and what has to be there at the start. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { auditOf } from './audit-options.ts';
import { Flags } from './flags.ts';

const LOG = { 'audit-log-path': '-' };
const BATCH = { ...LOG, 'audit-log-mode': 'batch' };

for (const [flags, why] of [
	[{ ...LOG, 'audit-log-mode': 'often' }, 'invalid audit log mode often, allowed modes are "batch,blocking,blocking-strict"'],
	[{ ...BATCH, 'audit-log-batch-buffer-size': 0 }, 'invalid audit batch log buffer size 0, must be a positive number'],
	[{ ...BATCH, 'audit-log-batch-max-size': 0 }, 'invalid audit batch log max batch size 0, must be a positive number'],
	[
		{ ...BATCH, 'audit-log-batch-throttle-enable': true, 'audit-log-batch-throttle-qps': 0 },
		'invalid audit batch log throttle QPS 0, must be a positive number',
	],
	[{ ...LOG, 'audit-log-truncate-max-event-size': 0 }, 'invalid audit truncate log max event size 0, must be a positive number'],
	[{ ...LOG, 'audit-log-version': 'audit.k8s.io/v2' }, /invalid group version, allowed versions are \["audit.k8s.io\/v1"\]/],
] as const)
	test(`refused, even without a policy: ${JSON.stringify(flags)}`, async (t) => {
		await t.throwsAsync(auditOf(new Flags(flags)), { message: why });
	});

for (const flags of [
	{ ...LOG, 'audit-log-batch-buffer-size': 0 },
	{ ...BATCH, 'audit-log-batch-throttle-qps': 0 },
	{ ...LOG, 'audit-log-version': 'audit.k8s.io/v1' },
	{ 'audit-log-mode': 'often' },
])
	test(`of no account: ${JSON.stringify(flags)}`, async (t) => {
		t.is(await auditOf(new Flags(flags)), undefined, 'no policy');
	});

test('the former name of the first wait', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-audit-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const [policy, hook] = [join(dir, 'policy.yaml'), join(dir, 'hook.yaml')];
	await writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
	await writeFile(
		hook,
		'clusters: [{name: c, cluster: {server: "https://hook.example/x"}}]\ncontexts: [{name: x, context: {cluster: c, user: ""}}]\ncurrent-context: x\n',
	);
	const made = await auditOf(
		new Flags({ 'audit-policy-file': policy, 'audit-webhook-config-file': hook, 'audit-webhook-batch-initial-backoff': '3s' }),
	);
	t.is(made?.webhook?.initialBackoffMs, 3000);
});

test('the file is there from the start, and who cannot write it does not start', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-audit-'));
	t.teardown(() => rm(dir, { recursive: true }));
	await auditOf(new Flags({ 'audit-log-path': join(dir, 'logs', 'audit.log') }));
	t.deepEqual(await readdir(join(dir, 'logs')), ['audit.log']);
	t.is((await stat(join(dir, 'logs'))).mode & 0o777, 0o700);
	t.is((await stat(join(dir, 'logs', 'audit.log'))).mode & 0o777, 0o600);
	for (const path of [dir, '/proc/kubeling/audit.log'])
		await t.throwsAsync(auditOf(new Flags({ 'audit-log-path': path })), { message: /--audit-log-path ".*" cannot be written/ });
});
