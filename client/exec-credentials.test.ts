import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { VirtualClock } from '../base/virtual-clock.ts';
import { eventually } from '../test/tools/eventually.ts';
import { execCluster, ExecCredentials } from './exec-credentials.ts';

const V1 = 'client.authentication.k8s.io/v1';
const config = { command: 'sh', apiVersion: V1, interactiveMode: 'Never' };
const says = (status: object, apiVersion = V1): object => ({
	...config,
	args: ['-c', 'printf %s "$ANSWER"'],
	env: [{ name: 'ANSWER', value: JSON.stringify({ kind: 'ExecCredential', apiVersion, status }) }],
});

test('it runs once for all who ask, again when the credentials have expired or were refused, and knows what it is asked', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-exec-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const clock = new VirtualClock(Date.UTC(2026, 0, 1));
	await writeFile(
		join(folder, 'login'),
		`#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >> "$(dirname "$0")/asked"
n=$(wc -l < "$(dirname "$0")/asked")
echo "{apiVersion: ${V1}, kind: ExecCredential, status: {token: t$n, expirationTimestamp: '2026-01-01T01:00:00Z'}}"
`,
		{ mode: 0o755 },
	);
	const credentials = new ExecCredentials({ ...config, command: './login' }, folder);
	const [first, same] = await Promise.all([credentials.get(clock), credentials.get(clock)]);
	t.deepEqual(first, { token: 't1', cert: undefined, key: undefined });
	t.is(same, first);
	t.is(await credentials.get(clock), first);
	credentials.refused(first);
	const second = await credentials.get(clock);
	t.is(second.token, 't2');
	credentials.refused(first);
	t.is(await credentials.get(clock), second, 'others have been made already');
	await clock.advance(3_600_001);
	t.is((await credentials.get(clock)).token, 't3');
	const [asked = ''] = (await readFile(join(folder, 'asked'), 'utf8')).split('\n');
	t.deepEqual(JSON.parse(asked), { kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } });
	t.is(clock.pending, 0);
});

test('a program that asks for it is told of the cluster', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-exec-'));
	t.teardown(() => rm(folder, { recursive: true }));
	await writeFile(join(folder, 'ca'), 'CA');
	const cluster = await execCluster({
		server: 'https://a:6443',
		'certificate-authority': join(folder, 'ca'),
		'tls-server-name': 'b',
		extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'c' } }],
	});
	const args = [
		'-c',
		`echo "$KUBERNETES_EXEC_INFO" > ${folder}/asked; echo '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"t"}}'`,
	];
	await new ExecCredentials({ ...config, args, provideClusterInfo: true }, folder, cluster).get(new VirtualClock());
	t.deepEqual((JSON.parse(await readFile(join(folder, 'asked'), 'utf8')) as { readonly spec: object }).spec, {
		cluster: {
			server: 'https://a:6443',
			'tls-server-name': 'b',
			'certificate-authority-data': Buffer.from('CA').toString('base64'),
			config: { audience: 'c' },
		},
		interactive: false,
	});
	t.deepEqual(await execCluster({ server: 'https://a', 'insecure-skip-tls-verify': true }), {
		server: 'https://a',
		'insecure-skip-tls-verify': true,
		config: null,
	});
});

test('what it started may hold its output open: it is waited for a minute', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-exec-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const clock = new VirtualClock();
	const args = ['-c', `sleep 1000 & echo $! $$ > ${folder}/pids; echo '{}'`];
	const credentials = new ExecCredentials({ ...config, args }, folder);
	const asked = t.throwsAsync(credentials.get(clock));
	const [child, own] = await eventually('the program has ended', async () => {
		const pids = (await readFile(join(folder, 'pids'), 'utf8').catch(() => '')).trim().split(' ').map(Number);
		return pids.length === 2 && !existsSync(`/proc/${pids[1]}`) && pids;
	});
	t.teardown(() => process.kill(child as number));
	t.not(own, undefined);
	await clock.advance(60_000);
	t.is((await asked)?.message, 'getting credentials: exec: Running sh took longer than 60000 ms');
	t.is(clock.pending, 0);
});

for (const [what, exec, message] of [
	['a program that is not there', { ...config, command: 'kubeling-none' }, 'exec: executable kubeling-none not found'],
	['one that fails', { ...config, args: ['-c', 'exit 3'] }, 'exec: executable sh failed with exit code 3'],
	['no answer', { ...config, args: ['-c', 'echo hello: secret'] }, 'decoding stdout: it is no ExecCredential'],
	[
		'another version',
		says({ token: 't' }, 'client.authentication.k8s.io/v1beta1'),
		`exec plugin is configured to use API version ${V1}, plugin returned version client.authentication.k8s.io/v1beta1`,
	],
	['a time that is none', says({ token: 't', expirationTimestamp: 'soon' }), 'decoding stdout: expirationTimestamp is no time'],
	['nothing in it', says({}), "exec plugin didn't return a token or cert/key pair"],
	['a certificate alone', says({ clientCertificateData: 'c' }), 'exec plugin returned only certificate or key, not both'],
	['a terminal', { ...config, interactiveMode: 'Always' }, 'exec plugin cannot support interactive mode: standard input is not a terminal'],
] as const)
	test(`no credentials: ${what}`, async (t) => {
		const error = await t.throwsAsync(new ExecCredentials(exec, '/').get(new VirtualClock()));
		t.is(error?.message, `getting credentials: ${message}`);
	});

for (const [what, exec, message] of [
	['no command', { ...config, command: '' }, /^command must be specified/],
	['no version', { ...config, apiVersion: undefined }, /^apiVersion must be specified/],
	[
		'an old version',
		{ ...config, apiVersion: 'client.authentication.k8s.io/v1alpha1' },
		/invalid apiVersion "client.authentication.k8s.io\/v1alpha1"/,
	],
	['no mode', { ...config, interactiveMode: '' }, /^interactiveMode must be specified/],
	['another mode', { ...config, interactiveMode: 'Often' }, /^invalid interactiveMode: "Often"/],
	['a cluster that is not known', { ...config, provideClusterInfo: true }, /^provideClusterInfo: there is no cluster to tell of$/],
	['a variable without a name', { ...config, env: [{ value: 'x' }] }, /^env variable name must be specified/],
] as const)
	test(`a kubeconfig is refused: ${what}`, (t) => {
		t.throws(() => new ExecCredentials(exec, '/'), { message });
	});
