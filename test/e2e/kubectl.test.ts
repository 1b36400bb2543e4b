/** Real kubectl of four versions against real containers, in one process and with a process a part. */
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { eventually } from '../tools/eventually.ts';
import { kubectl, KUBECTL_VERSIONS, type KubectlVersion } from '../tools/kubectl.ts';
import { busyboxImage } from '../tools/images.ts';
import { Kubectl, testCluster, type TestCluster } from './cluster.ts';

const image = await busyboxImage();
const versions = Object.keys(KUBECTL_VERSIONS) as KubectlVersion[];
const paths = new Map<KubectlVersion, string>();
for (const version of versions) paths.set(version, await kubectl(version));

for (const [placement, flags] of [
	['in one process', []],
	['with a process a part', ['--isolate']],
] as const)
	test.serial(`kubectl drives a cluster ${placement}`, async (t) => {
		await using cluster = await testCluster(flags.length === 0 ? 'e2e' : 'iso');
		t.log(await cluster.up(...flags));
		const tried = flags.length === 0 ? versions : versions.slice(-1);
		for (const version of tried) {
			t.log(`kubectl ${version}`);
			await drive(t, cluster, version);
		}
	});

/** Everything that issue 1 names, in the order of a person's first hour. */
async function drive(t: ExecutionContext, cluster: TestCluster, version: KubectlVersion): Promise<void> {
	const path = paths.get(version) ?? '';
	const namespace = `v${version.replace('.', '-')}`;
	const k = new Kubectl(path, cluster, namespace);
	await k.must(['create', 'namespace', namespace]);
	t.regex(await k.must(['get', 'nodes', '-o', 'wide']), /Ready/);
	t.regex(await k.must(['describe', 'node']), /Allocatable:/);
	const parts = /controller-manager +Healthy +ok *\nscheduler +Healthy +ok *\netcd-0 +Healthy +ok/;
	await eventually('its parts', async () => parts.test(await k.must(['get', 'componentstatuses'])));

	// run, get, watch, describe, logs
	await using watcher = k.start('get', 'pods', '-w');
	await k.must([
		'run',
		'hello',
		`--image=${image}`,
		'--restart=Never',
		'--',
		'sh',
		'-c',
		'for i in 1 2 3; do echo line $i; sleep 0.2; done; sleep 3600',
	]);
	await k.must(['wait', '--for=condition=Ready', 'pod/hello', '--timeout=110s']);
	await watcher.waitFor(/hello\s+1\/1\s+Running/);
	t.regex(await k.must(['get', 'pod', 'hello']), /hello\s+1\/1\s+Running\s+0/);
	t.regex(await k.must(['get', 'pod', 'hello', '-o', 'wide']), /\d+\.\d+\.\d+\.\d+/);
	t.regex(await k.must(['get', 'pod', 'hello', '-o', 'yaml']), /phase: Running/);
	await eventually('its events', async () => /Successfully assigned[\s\S]*Started/.test(await k.must(['describe', 'pod', 'hello'])));
	await using follow = k.start('logs', '-f', 'hello');
	await follow.waitFor(/line 1\nline 2\nline 3\n/);
	t.is(await k.must(['logs', 'hello', '--tail=1']), 'line 3\n');

	// exec, with and without a terminal, and its exit code
	t.is(await k.must(['exec', 'hello', '--', 'echo', 'hi']), 'hi\n');
	t.is(await k.must(['exec', '-i', 'hello', '--', 'cat'], { input: 'through stdin' }), 'through stdin');
	t.is((await k.run(['exec', 'hello', '--', 'sh', '-c', 'exit 7'])).code, 7);
	await using shell = k.terminal('exec', '-it', 'hello', '--', 'sh');
	shell.write('echo tty-$((40+2)); tty\r');
	await shell.waitFor(/tty-42[\s\S]*\/dev\/pts\/0/);
	shell.write('exit\r');

	// cp both ways
	const file = join(cluster.dir, `cp-${namespace}`);
	await writeFile(file, 'copied');
	await k.must(['cp', file, 'hello:/tmp/copied']);
	t.is(await k.must(['exec', 'hello', '--', 'cat', '/tmp/copied']), 'copied');
	await k.must(['cp', 'hello:/tmp/copied', `${file}.back`]);
	t.is(await readFile(`${file}.back`, 'utf8'), 'copied');

	// attach
	await k.must([
		'run',
		'talk',
		`--image=${image}`,
		'--restart=Never',
		'--stdin',
		'--attach=false',
		'--',
		'sh',
		'-c',
		'while read line; do echo got $line; done',
	]);
	await k.must(['wait', '--for=condition=Ready', 'pod/talk', '--timeout=110s']);
	await using attached = k.start('attach', '-i', 'talk');
	await new Promise((resolve) => setTimeout(resolve, 500)); // kubectl says nothing to a pipe once it is attached
	attached.write('ping\n');
	await attached.waitFor(/got ping/);

	// port-forward
	await k.must(['run', 'web', `--image=${image}`, '--port=80', '--', 'httpd', '-f', '-p', '80', '-h', '/var/www']);
	await k.must(['wait', '--for=condition=Ready', 'pod/web', '--timeout=110s']);
	await eventually('it listens', async () => (await k.run(['exec', 'web', '--', 'wget', '-q', '-O', '-', 'http://127.0.0.1/'])).code === 0);
	await using forward = k.start('port-forward', 'pod/web', ':80');
	const [, port] = await forward.waitFor(/Forwarding from 127\.0\.0\.1:(\d+)/);
	t.is(await httpGet(Number(port)), 'hello from busybox\n');

	// workloads
	await k.must(['create', 'deployment', 'app', `--image=${image}`, '--', 'sh', '-c', 'trap exit TERM; sleep 3600 & wait']); // ends on TERM, as a good first process does
	await k.must(['rollout', 'status', 'deployment/app', '--timeout=110s']);
	await k.must(['scale', 'deployment/app', '--replicas=3']);
	await k.must(['rollout', 'status', 'deployment/app', '--timeout=110s']);
	t.regex(await k.must(['get', 'deployment', 'app']), /app\s+3\/3\s+3\s+3/);
	await k.must(['set', 'env', 'deployment/app', 'ROUND=2']);
	await k.must(['set', 'image', 'deployment/app', `busybox=${image}`]);
	await k.must(['rollout', 'status', 'deployment/app', '--timeout=110s']);
	t.regex(await k.must(['rollout', 'history', 'deployment/app']), /2/);

	// apply, events, access, tokens, jobs
	const manifest = join(cluster.dir, `apply-${namespace}.yaml`);
	await writeFile(manifest, `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n`);
	t.regex(await k.must(['apply', '-f', manifest]), /configmap\/settings created/);
	await writeFile(manifest, `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: green\n`);
	t.regex(await k.must(['apply', '-f', manifest]), /configmap\/settings configured/);
	t.regex(await k.must(['apply', '-f', manifest]), /configmap\/settings unchanged/);
	t.is(await k.must(['get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}']), 'green');
	t.regex(await k.must(['get', 'events']), /Scheduled[\s\S]*Started|Started[\s\S]*Scheduled/);
	t.regex(await k.must(['auth', 'can-i', 'create', 'pods']), /yes/);
	t.is((await k.run(['auth', 'can-i', 'create', 'pods', '--as=nobody'])).code, 1);
	t.is((await k.must(['create', 'token', 'default'])).trim().split('.').length, 3);
	await k.must(['create', 'job', 'once', `--image=${image}`, '--', 'echo', 'done']);
	await k.must(['wait', '--for=condition=Complete', 'job/once', '--timeout=110s']);
	t.is(await k.must(['logs', 'job/once']), 'done\n');

	// delete, and nothing stays
	await k.must(['delete', 'deployment', 'app', '--timeout=110s']);
	await k.must(['delete', 'pod', 'hello', 'talk', 'web', '--grace-period=1', '--timeout=110s']);
	await k.must(['delete', 'namespace', namespace, '--timeout=110s']);
	t.regex((await k.run(['get', 'pods'])).stderr, /No resources found/);
}

function httpGet(port: number): Promise<string> {
	return new Promise((resolve, reject) => {
		request({ host: '127.0.0.1', port, path: '/' }, (response) => {
			let body = '';
			response.setEncoding('utf8');
			response.on('data', (text: string) => (body += text));
			response.on('end', () => resolve(body));
		})
			.once('error', reject)
			.end();
	});
}
