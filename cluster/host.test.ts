import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { noLog } from '../base/log.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { diagnose, type HostFacts } from './doctor.ts';
import { engineCandidates, missingText } from './engine.ts';
import { layout } from './layout.ts';
import { settle } from './options.ts';
import { METRICS_USER } from './parts/metrics-objects.ts';
import { fits, leafRequests, loadPki, renewAt, type PkiNames } from './pki.ts';
import { KeyPair } from './parts/key-pair.ts';
import { renewalService } from './renewal.ts';

const GIB = 1024 ** 3;
const good: HostFacts = {
	platform: 'linux',
	arch: 'x64',
	nodeVersion: 'v24.0.0',
	root: true,
	engine: { host: 'unix:///var/run/docker.sock', version: '28.0.0', apiVersion: '1.48' },
	engineInstalled: true,
	cgroupVersion: 2,
	swapBytes: 0,
	sysResource: true,
	kernelLog: true,
	ipForward: true,
	commands: { ip: true, iptables: true, nft: true, mount: true, nsenter: true },
	freeDiskBytes: 50 * GIB,
	freeMemoryBytes: 4 * GIB,
};

test('diagnose(): a good host has nothing to mend', (t) => t.true(diagnose(good).every((f) => f.verdict === 'ok' && f.fix === '')));

for (const [name, change, verdict, text] of [
	['no engine', { engine: undefined, engineInstalled: false }, 'missing', /apt-get install docker\.io/],
	['an engine that is not running', { engine: undefined }, 'missing', /systemctl start docker/],
	['no root', { root: false }, 'missing', /sudo/],
	['cgroup v1', { cgroupVersion: 1 }, 'note', /cgroup v2/],
	['no cgroups', { cgroupVersion: undefined }, 'missing', /cgroup2/],
	['swap', { swapBytes: GIB }, 'note', /memory limit/],
	['no CAP_SYS_RESOURCE', { sysResource: false }, 'note', /OOM scores/],
	['no log of the kernel', { kernelLog: false }, 'note', /OOMKilled/],
	['another system', { platform: 'darwin' }, 'missing', /Linux host/],
	['no packet filter', { commands: { ...good.commands, iptables: false, nft: false } }, 'missing', /iptables/],
	['little disk', { freeDiskBytes: GIB }, 'note', /docker system prune/],
] as const)
	test(`diagnose(): ${name}`, (t) => {
		const found = diagnose({ ...good, ...change }).filter((f) => f.verdict !== 'ok');
		t.deepEqual(
			found.map((f) => f.verdict),
			[verdict],
		);
		t.regex(found[0]?.fix ?? '', text);
	});

test('an engine is looked for where people have it; DOCKER_HOST alone counts when set', (t) => {
	t.deepEqual(engineCandidates({ DOCKER_HOST: 'tcp://h:1' }, 0), ['tcp://h:1']);
	t.is(engineCandidates({ XDG_RUNTIME_DIR: '/run/user/7' }, 7)[1], 'unix:///run/user/7/docker.sock');
	t.regex(missingText('tcp://h:1', true, true), /No Docker Engine answers at "tcp:\/\/h:1"/);
});

const names: PkiNames = {
	nodeName: 'n',
	clusterDomain: 'cluster.local',
	apiserverAddresses: ['127.0.0.1', '10.88.0.1'],
	nodeAddresses: ['127.0.0.1'],
};

test('certificates say who their holders are, and the API server where it is reached', (t) => {
	const leaves = leafRequests(names);
	t.like(leaves.node, { commonName: 'system:node:n', organizations: ['system:nodes'], usages: ['client'] });
	t.like(leaves.admin, { organizations: ['system:masters'] });
	t.like(leaves.metrics, { commonName: METRICS_USER, organizations: [], usages: ['client'] });
	t.true(leaves.apiserver.dnsNames?.includes('kubernetes.default.svc.cluster.local'));
	t.true(leaves.apiserver.ipAddresses?.includes('10.88.0.1'));
});

test('keys are made once, kept, renewed when due and when names no longer fit', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-pki-'));
	try {
		const clock = new VirtualClock();
		const first = await loadPki(dir, names, clock);
		const again = await loadPki(dir, names, clock);
		t.deepEqual(again, first);
		// Upstream's API server reads no public key out of any other form.
		t.true((await readFile(join(dir, 'sa.key'), 'utf8')).startsWith('-----BEGIN EC PRIVATE KEY-----'));
		t.true(fits(first.leaves.apiserver.certPem, first.ca, leafRequests(names).apiserver));
		const proxy = [first.leaves['front-proxy-client'].certPem, leafRequests(names)['front-proxy-client']] as const;
		t.true(fits(proxy[0], first.frontProxyCa, proxy[1]));
		t.false(fits(proxy[0], first.ca, proxy[1]), 'an authority that signs for users does not vouch for who names them');
		const moved = await loadPki(dir, { ...names, apiserverAddresses: ['127.0.0.1', '10.99.0.1'] }, clock);
		t.not(moved.leaves.apiserver.certPem, first.leaves.apiserver.certPem);
		t.is(moved.leaves.admin.certPem, first.leaves.admin.certPem);
		await clock.advance(renewAt(first.leaves.admin.certPem) - clock.now());
		const renewed = await loadPki(dir, names, clock);
		t.not(renewed.leaves.admin.certPem, first.leaves.admin.certPem);
		t.is(renewed.ca.certPem, first.ca.certPem);
		t.is(new X509Certificate(renewed.leaves.admin.certPem).subject, 'O=system:masters\nCN=kubernetes-admin');
	} finally {
		await rm(dir, { recursive: true });
	}
});

test('a key that a crash parted from its certificate is made anew', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-pki-'));
	const clock = new VirtualClock();
	const first = await loadPki(dir, names, clock);
	await writeFile(join(dir, 'admin.key'), first.leaves.node.keyPem);
	const again = await loadPki(dir, names, clock);
	t.true(new X509Certificate(again.leaves.admin.certPem).checkPrivateKey(createPrivateKey(again.leaves.admin.keyPem)));
	t.deepEqual(again.leaves.node, first.leaves.node);
	await rm(dir, { recursive: true });
});

test('renewal: on time by the wall clock although the machine slept, again after a failure', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-pki-'));
	const clock = new (class extends VirtualClock {
		sleptMs = 0;
		override now(): number {
			return super.now() + this.sleptMs;
		}
	})();
	let pki = await loadPki(dir, names, clock);
	const due = renewAt(pki.leaves.admin.certPem) - clock.now();
	let loads = 0;
	const renewed = Promise.withResolvers<void>();
	const load = async (): Promise<void> => {
		if (++loads === 1) throw new Error('disk full');
		pki = await loadPki(dir, names, clock);
		renewed.resolve();
	};
	const stop = new AbortController();
	const done = renewalService({ clock, log: noLog, leaves: () => pki.leaves, load }).run(stop.signal, () => {});
	await clock.advance(due / 2);
	t.is(loads, 0);
	clock.sleptMs = due / 2;
	await clock.advance(3_600_000);
	t.is(loads, 1, 'within an hour of waking');
	await clock.advance(3_600_000);
	await renewed.promise;
	await clock.advance(3_600_000);
	t.is(loads, 2, 'what is new is not due');
	stop.abort();
	await done;
	t.is(clock.pending, 0);
	await rm(dir, { recursive: true });
});

test('a key pair is taken up from its files once both are new', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-pki-'));
	const { admin, node } = (await loadPki(dir, names, new VirtualClock())).leaves;
	const files = { certFile: join(dir, 'a.crt'), keyFile: join(dir, 'a.key') };
	await writeFile(files.certFile, admin.certPem);
	await writeFile(files.keyFile, admin.keyPem);
	const pair = await KeyPair.open(files, ['cert', 'key']);
	await writeFile(files.keyFile, node.keyPem);
	t.false(await pair.refresh());
	t.is(pair.keyPem, admin.keyPem);
	await writeFile(files.certFile, node.certPem);
	t.true(await pair.refresh());
	t.deepEqual([pair.certPem, pair.keyPem], [node.certPem, node.keyPem]);
	await rm(dir, { recursive: true });
});

test('layout(): parts find each other, and no secret stands in a configuration', (t) => {
	const chosen = {
		port: 6443,
		kubeletPort: 10250,
		podSubnet: '10.88.0.0/24',
		podGateway: '10.88.0.1',
		hostAddress: '192.0.2.2',
		dockerHost: 'unix:///d',
	};
	const configs = layout(settle({ name: 'a', dataDir: '/data' }), chosen);
	t.is(configs.agent.runtimeEndpoint, configs.cri.socketPath);
	t.deepEqual(configs.agent.kubernetesService, { host: '10.88.0.1', port: 6443 });
	t.is(configs.scheduler.api.server, 'https://127.0.0.1:6443');
	t.notRegex(JSON.stringify(configs), /BEGIN/);
	t.is(configs.agent.evictionHard?.['nodefs.available'], '1%');
	t.is(configs.metrics.api.certFile, '/data/pki/metrics.crt', 'kubelets are shown no other');
	const authority = 'kubelet-certificate-authority';
	t.is(configs.apiserver.flags?.[authority], '/data/pki/ca.crt', 'kubelets are known by the cluster’s own');
	const lax = layout(settle({ name: 'a', dataDir: '/data', apiserverFlags: { [authority]: '', 'event-ttl': '5m' } }), chosen);
	t.deepEqual(lax.apiserver.flags, { [authority]: '', 'event-ttl': '5m' }, 'unless told');
});
