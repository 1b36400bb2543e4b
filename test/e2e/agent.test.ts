/** What the agent does beyond the first hour: debug containers, volumes that follow, logs that rotate, probes, restarts of the agent itself. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { killHard, pidsOf } from '../crash/victims.ts';
import { eventually } from '../tools/eventually.ts';
import { kubectl } from '../tools/kubectl.ts';
import { busyboxImage } from '../tools/images.ts';
import { Kubectl, testCluster, type TestCluster } from './cluster.ts';

const image = await busyboxImage();
const path = await kubectl();

/** Until `look` gives what is wanted. */
async function until(look: () => Promise<string>, wanted: RegExp): Promise<void> {
	let seen = '';
	await eventually(
		() => `${wanted.source}; seen: ${seen}`,
		async () => {
			seen = await look().catch((error: Error) => error.message);
			return wanted.test(seen);
		},
	);
}

async function apply(k: Kubectl, cluster: TestCluster, name: string, object: object): Promise<void> {
	const file = join(cluster.dir, `${name}.json`);
	await writeFile(file, JSON.stringify(object));
	await k.must(['apply', '-f', file]);
}

const pod = (name: string, spec: object): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
const loop = ['sh', '-c', 'trap "exit 0" TERM; while true; do sleep 0.1; done'];

test('the agent on a real engine', async (t) => {
	await using cluster = await testCluster('agent');
	const manifests = join(cluster.dir, 'manifests');
	await mkdir(join(cluster.dir, 'kubelet'));
	await mkdir(manifests);
	await writeFile(join(cluster.dir, 'kubelet', '10-node.conf'), JSON.stringify({ maxPods: 50, staticPodPath: manifests }));
	await cluster.up('--kubelet-config-dir', join(cluster.dir, 'kubelet'));
	const k = new Kubectl(path, cluster, 'default');
	const node = (await k.must(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])).trim();
	const get = (name: string, field: string): Promise<string> => k.must(['get', 'pod', name, '-o', `jsonpath={${field}}`]);

	// kubectl debug joins the process namespace of its target; attach talks to it.
	await apply(k, cluster, 'main', pod('main', { containers: [{ name: 'main', image, command: loop }] }));
	await k.must(['wait', '--for=condition=Ready', 'pod/main', '--timeout=110s']);
	const debug = ['debug', 'main', `--image=${image}`, '--target=main', '--container=dbg', '-i', '--attach=false', '--', 'sh', '-c'];
	await k.must([...debug, 'cat /proc/1/cmdline | tr "\\0" " "; echo; while read line; do echo got $line; done']);
	await until(() => get('main', '.status.ephemeralContainerStatuses[0].state.running.startedAt'), /./);
	await until(() => k.must(['logs', 'main', '-c', 'dbg']), /trap "exit 0" TERM/);
	await using attached = k.start('attach', '-i', 'main', '-c', 'dbg');
	await new Promise((resolve) => setTimeout(resolve, 500)); // kubectl says nothing to a pipe once it is attached
	attached.write('ping\n');
	await attached.waitFor(/got ping/);
	t.is(await get('main', '.status.containerStatuses[0].restartCount'), '0');

	// A ConfigMap's change reaches the volume, and a Secret's; not a subPath.
	await k.must(['create', 'configmap', 'settings', '--from-literal=colour=blue']);
	await k.must(['create', 'secret', 'generic', 'hidden', '--from-literal=word=old']);
	const volumes = [
		{ name: 'settings', configMap: { name: 'settings' } },
		{ name: 'hidden', secret: { secretName: 'hidden', defaultMode: 0o400 } },
	];
	const volumeMounts = [
		{ name: 'settings', mountPath: '/settings' },
		{ name: 'settings', mountPath: '/one', subPath: 'colour' },
		{ name: 'hidden', mountPath: '/hidden' },
	];
	await apply(
		k,
		cluster,
		'reader',
		pod('reader', { securityContext: { fsGroup: 1234 }, volumes, containers: [{ name: 'c', image, command: loop, volumeMounts }] }),
	);
	await k.must(['wait', '--for=condition=Ready', 'pod/reader', '--timeout=110s']);
	const cat = (file: string): Promise<string> => k.must(['exec', 'reader', '--', 'cat', file]);
	t.is(await cat('/settings/colour'), 'blue');
	t.regex(await k.must(['exec', 'reader', '--', 'stat', '-Lc', '%a %g', '/hidden/word']), /^440 1234/);
	await k.must(['patch', 'configmap', 'settings', '-p', '{"data":{"colour":"green"}}']);
	await k.must(['patch', 'secret', 'hidden', '-p', '{"stringData":{"word":"new"}}']);
	await until(() => cat('/settings/colour'), /green/);
	await until(() => cat('/hidden/word'), /new/);
	t.is(await cat('/one'), 'blue');

	// Probes: not ready until it says so, restarted when it fails; a machine that is busy is no failure.
	const patient = { periodSeconds: 1, timeoutSeconds: 60 };
	const containers = [
		{
			...{ name: 'c', image, command: loop },
			startupProbe: { exec: { command: ['true'] }, ...patient },
			readinessProbe: { exec: { command: ['test', '-e', '/tmp/ready'] }, ...patient, failureThreshold: 1 },
			livenessProbe: {
				exec: { command: ['test', '!', '-e', '/tmp/sick'] },
				...patient,
				failureThreshold: 1,
				terminationGracePeriodSeconds: 1,
			},
		},
	];
	await apply(k, cluster, 'probed', pod('probed', { containers }));
	await until(() => get('probed', '.status.containerStatuses[0].started'), /true/);
	t.is(await get('probed', '.status.containerStatuses[0].ready'), 'false');
	await k.must(['exec', 'probed', '--', 'touch', '/tmp/ready']);
	await k.must(['wait', '--for=condition=Ready', 'pod/probed', '--timeout=110s']);
	await k.must(['exec', 'probed', '--', 'touch', '/tmp/sick']);
	await until(() => get('probed', '.status.containerStatuses[0].restartCount'), /1/);
	await until(
		() => k.must(['get', 'events', '--field-selector', 'involvedObject.name=probed']),
		/Liveness probe failed[\s\S]*failed liveness probe, will be restarted|will be restarted[\s\S]*Liveness probe failed/,
	);

	// A manifest in the folder runs, and the API shows it; who deletes what the API shows ends nothing.
	const manifest = join(manifests, 'still.json');
	const still = `still-${node}`;
	await writeFile(manifest, JSON.stringify(pod('still', { containers: [{ name: 'c', image, command: loop }] })));
	await until(() => get(still, '.status.conditions[?(@.type=="Ready")].status'), /True/);
	const facts = ['.metadata.uid', '.status.containerStatuses[0].containerID', '.status.containerStatuses[0].restartCount'];
	const [uid, id] = await Promise.all(facts.map((field) => get(still, field)));
	t.regex(await k.must(['exec', still, '--', 'cat', '/proc/1/cmdline']), /trap/);
	await k.must(['delete', 'pod', still, '--wait=false']);
	await until(async () => ((await get(still, '.metadata.uid')) === uid ? 'the old one' : get(still, '.status.phase')), /Running/);
	t.deepEqual(await Promise.all(facts.slice(1).map((field) => get(still, field))), [id, '0']);

	// A rule restarts the whole pod in its sandbox: init containers too, with the volumes and the address that it had.
	const data = { name: 'data', mountPath: '/data' };
	const once =
		'echo x >> /data/main; test $(wc -l < /data/main) -gt 1 && exec sleep 1000; until test -e /data/other; do sleep 0.1; done; exit 42';
	const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } };
	const anew = {
		volumes: [{ name: 'data', emptyDir: {} }],
		initContainers: [{ name: 'init', image, command: ['sh', '-c', 'echo x >> /data/init'], volumeMounts: [data] }],
		containers: [
			{ name: 'main', image, command: ['sh', '-c', once], restartPolicy: 'Never', restartPolicyRules: [rule], volumeMounts: [data] },
			{ name: 'other', image, command: ['sh', '-c', `touch /data/other; ${loop[2]}`], volumeMounts: [data] },
		],
	};
	await apply(k, cluster, 'anew', pod('anew', anew));
	await until(() => get('anew', '.status.podIP'), /./);
	const address = await get('anew', '.status.podIP');
	const counts = '.status.containerStatuses[*].restartCount';
	await until(() => get('anew', counts), /^1 1$/);
	await k.must(['wait', '--for=condition=Ready', 'pod/anew', '--timeout=110s']);
	t.is(await k.must(['exec', 'anew', '-c', 'other', '--', 'cat', '/data/init', '/data/main']), 'x\nx\nx\nx\n');
	t.is(await get('anew', '.status.podIP'), address);
	t.is(await get('anew', '.status.conditions[?(@.type=="AllContainersRestarting")].status'), 'False');

	// A log of more than ten MiB is rotated under a reader that follows it.
	const lines = 120_000;
	const write = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "$i aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; done; until [ -e /tmp/rotated ]; do sleep 0.1; done; echo last; sleep 1000`;
	await apply(k, cluster, 'talker', pod('talker', { containers: [{ name: 'c', image, command: ['sh', '-c', write] }] }));
	await k.must(['wait', '--for=condition=Ready', 'pod/talker', '--timeout=110s']);
	await using follow = k.start('logs', '-f', 'talker');
	await follow.waitFor(new RegExp(`\n${lines} aaa`), 180_000);
	await until(async () => `starts with "${await k.must(['logs', 'talker', '--limit-bytes=5'])}"`, /^starts with "(?!1 aaa)/); // a slow writer is rotated in its middle
	await k.must(['exec', 'talker', '--', 'touch', '/tmp/rotated']);
	await follow.waitFor(/\nlast\n/);
	t.true(follow.output.startsWith('1 aaa') && follow.output.includes(`\n${lines} aaa`));
	t.is(follow.output.split('\n').length, lines + 2, 'no line is lost or doubled');
	const now = await k.must(['logs', 'talker']);
	t.true(now.endsWith('last\n') && now.length < 5_000_000, 'the current log is a new one');

	// The node proxies what its kubelet knows.
	const raw = (of: string): Promise<string> => k.must(['get', '--raw', `/api/v1/nodes/${node}/proxy/${of}`]);
	t.regex(await raw('configz'), /"kubeletconfig".*"maxPods":50/);
	t.regex(await raw('metrics'), /kubelet_mirror_pods 1/);
	t.regex(await raw('healthz'), /ok/);
	t.regex(await raw('metrics/resource'), /container_memory_working_set_bytes{container="main",namespace="default",pod="main"} [1-9]/);
	t.regex(
		await raw('metrics/cadvisor'),
		/container_network_receive_packets_total{container="",[^}]*interface="eth0",[^}]*namespace="default",pod="main"} [1-9]/,
	);
	t.regex(await raw('metrics'), /kubelet_started_containers_total{container_type="ephemeral_container"} 1/);
	const summary = JSON.parse(await raw('stats/summary')) as { pods: { podRef: { name: string }; memory: { workingSetBytes: number } }[] };
	t.true((summary.pods.find((p) => p.podRef.name === 'main')?.memory.workingSetBytes ?? 0) > 0);

	// A daemon killed and started again finds its containers as they were.
	const ids = (): Promise<string> =>
		k.must([
			'get',
			'pods',
			'-o',
			'jsonpath={range .items[*]}{.metadata.name} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}{"\\n"}{end}',
		]);
	const before = await ids();
	await killHard(await pidsOf('daemon', cluster.dataDir));
	await cluster.up();
	await until(async () => ((await ids()) === before ? 'same' : await ids()), /^same$/);
	await new Promise((resolve) => setTimeout(resolve, 3000));
	t.is(await ids(), before);

	await rm(manifest);
	await until(async () => (await k.run(['get', 'pod', still])).stderr, /NotFound/);
	await k.must(['delete', 'pod', '--all', '--grace-period=1', '--timeout=110s']);
});
