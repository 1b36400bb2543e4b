import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { realClock } from '../base/clock.ts';
import { chooseSubnet } from '../cri/network/bridge.ts';
import { processStat } from '../host/process.ts';
import { defaultDataDir, readClusterState, writeClusterState } from './data-folder.ts';
import { mergeAccess, mergeIntoFile, removeAccess, removeFromFile, userKubeconfigPath } from './kubeconfig.ts';
import { holderOf, lockDataFolder } from './lock.ts';
import { nodeNameOf, settle } from './options.ts';
import { isPartOf } from './part-processes.ts';
import { isStartOf } from './start-processes.ts';
import { takeDown } from './take-down.ts';
import { freePort, isFree, requireFree, takeFree } from './ports.ts';
import { Reservations } from './reservations.ts';

const access = { name: 'kubeling', server: 'https://127.0.0.1:6443', caPem: 'CA', certPem: 'CERT', keyPem: 'KEY' };

test.beforeEach(async (t) => {
	t.context = await mkdtemp(join(tmpdir(), 'kubeling-cluster-'));
});
test.afterEach.always(async (t) => rm(t.context as string, { recursive: true }));

for (const [name, options, message] of [
	['a name with capitals', { name: 'My' }, /--name "My" is not a cluster name/],
	['a name that is too long', { name: 'a'.repeat(33) }, /is not a cluster name/],
	['a port out of range', { port: 70000 }, /--port "70000" is not a port/],
] as const)
	test(`settle() refuses ${name}`, (t) => t.throws(() => settle(options), { message }));

const ETCD = { type: 'etcd', endpoints: ['http://127.0.0.1:2379'] } as const;

test('settle(): a cluster stays in the store it began in', (t) => {
	const before = { name: 'a', port: 7000, kubeletPort: 1, podSubnet: '', serviceSubnet: '', nodeName: 'n' };
	t.deepEqual(settle({ etcd: ETCD }).etcd, ETCD);
	t.deepEqual(settle({}, { ...before, etcd: ETCD }).etcd, ETCD);
	t.throws(() => settle({ etcd: ETCD }, before), { message: /--etcd-servers: the cluster "a" keeps its objects in its own data folder/ });
	t.throws(() => settle({ etcd: { ...ETCD, endpoints: ['etcd:2379'] } }), {
		message: /--etcd-servers "etcd:2379" is not an etcd endpoint/,
	});
});

test('settle(): flags win over what was there before', (t) => {
	const before = { name: 'a', port: 7000, kubeletPort: 1, podSubnet: '', serviceSubnet: '', nodeName: 'n' };
	t.like(settle({ dataDir: '/d' }, before), { name: 'a', port: 7000, nodeName: 'n', dataDir: '/d' });
	t.like(settle({ port: 7001 }, before), { port: 7001 });
	t.like(settle({ port: 0 }, before), { port: 7000 }); // 0: the one used before
	t.is(settle({ port: 0 }).port, 0);
});

for (const [host, cluster, want] of [
	['My_Host.local', 'kubeling', 'my-host.local'],
	['host', 'second', 'host-second'],
	['-._', 'kubeling', 'node'],
] as const)
	test(`nodeNameOf(${host}, ${cluster})`, (t) => t.is(nodeNameOf(host, cluster), want));

test('defaultDataDir(): root under /var/lib, others in their home', (t) => {
	t.is(defaultDataDir('a', {}, 0), '/var/lib/kubeling/a');
	t.is(defaultDataDir('a', { XDG_DATA_HOME: '/x' }, 1000), '/x/kubeling/a');
});

test('a data folder is locked by one process, and a dead holder does not keep it', async (t) => {
	const dir = t.context as string;
	const lock = await lockDataFolder(dir);
	t.is((await holderOf(dir))?.pid, process.pid);
	await t.throwsAsync(lockDataFolder(dir), { message: new RegExp(`in use by process ${process.pid}`) });
	await lock[Symbol.asyncDispose]();
	t.is(await holderOf(dir), undefined);
	await writeFile(join(dir, 'lock'), '999999999 1\n');
	await (await lockDataFolder(dir))[Symbol.asyncDispose]();
});

test('clusters that start at once choose different ports and networks, and give them back', async (t) => {
	const folder = join(t.context as string, 'reserved');
	const clusters = Array.from({ length: 6 }, () => new Reservations(realClock, folder));
	const first = await freePort(21_000 + (process.pid % 5000), '127.0.0.1');
	const ports = await Promise.all(clusters.map((mine) => freePort(first, '127.0.0.1', mine)));
	t.is(new Set(ports).size, clusters.length);
	const networks = await Promise.all(clusters.map((mine) => chooseSubnet(undefined, undefined, (subnet) => mine.reserve(subnet))));
	t.is(new Set(networks).size, clusters.length);
	t.is((await readdir(folder)).length, 2 * clusters.length);
	await Promise.all(clusters.map((mine) => mine[Symbol.asyncDispose]()));
	t.deepEqual(await readdir(folder), []);
});

test('a port that was asked for and that another cluster is about to use is refused plainly', async (t) => {
	const folder = t.context as string;
	const [one, two] = [new Reservations(realClock, folder), new Reservations(realClock, folder)];
	const port = await freePort(26_000 + (process.pid % 5000), '0.0.0.0', one);
	t.false(await takeFree(port, '0.0.0.0', two));
	await t.throwsAsync(requireFree(port, '0.0.0.0', '--port', two), {
		message: `Port ${port} is in use by another cluster. Stop it, or choose another with --port.`,
	});
	await t.notThrowsAsync(requireFree(port, '127.0.0.1', '--port', two), 'on an address of its own');
	await writeFile(join(folder, `port-${port}`), '999999999 1\n');
	t.true(await takeFree(port, '0.0.0.0', two), 'its holder died');
});

test('a zombie does not keep a data folder: its parent may never look', async (t) => {
	const dir = t.context as string;
	const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
	try {
		const [line] = (await once(parent.stdout, 'data')) as [Buffer];
		const pid = Number(line.toString());
		let stat = await processStat(pid);
		while (stat?.state !== 'Z') stat = await processStat(pid);
		await writeFile(join(dir, 'lock'), `${pid} ${stat.startTicks}\n`);
		t.is(await holderOf(dir), undefined);
		await (await lockDataFolder(dir))[Symbol.asyncDispose]();
		t.deepEqual(await readdir(dir), []);
	} finally {
		parent.kill('SIGKILL');
	}
});

for (const [name, words, want] of [
	['a part with its configuration', ['node', 'cli.js', 'agent', '--config', '/d/parts/agent.json', ''], true],
	["another cluster's part", ['node', 'cli.js', 'agent', '--config', '/e/parts/agent.json', ''], false],
	['an editor', ['vi', '/d/parts/agent.json', ''], false],
	['another part with that file', ['node', 'cli.js', 'cri', '--config', '/d/parts/agent.json', ''], false],
	['a zombie', [''], false],
] as const)
	test(`isPartOf(): ${name}`, (t) => t.is(isPartOf(words, '/d'), want));

for (const [name, words, want] of [
	['a detached cluster', ['/usr/bin/node', '--flag=4', '/k/cli.js', 'up', '--data-dir', '/d', '--name', 'x', ''], true],
	['its folder in one word', ['node', '/k/cli.js', 'up', '--detach', '--data-dir=/d', ''], true],
	['of another folder', ['node', '/k/cli.js', 'up', '--data-dir', '/e', ''], false],
	['of no folder that is said', ['node', '/k/cli.js', 'up', ''], false],
	['another verb, of a cluster with that name', ['node', '/k/cli.js', 'logs', '--name', 'up', '--data-dir', '/d', ''], false],
	['another program', ['compose', 'x', 'up', '--data-dir', '/d', ''], false],
	['a zombie', [''], false],
] as const)
	test(`isStartOf(): ${name}`, (t) => t.is(isStartOf(words, '/d'), want));

for (const [name, program] of [
	['one that does not have its folder yet', `setInterval(() => {}, 1000);`],
	[
		'one that has let go of its folder and still runs',
		`import { readFileSync, rmSync, writeFileSync } from 'node:fs';
		const lock = process.argv.at(-1) + '/lock';
		writeFileSync(lock, process.pid + ' ' + readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[19] + '\\n');
		process.once('SIGTERM', () => { rmSync(lock); setTimeout(() => process.exit(), 200); });
		setInterval(() => {}, 1000);`,
	],
] as const)
	test(`takeDown() leaves no process of the cluster: ${name}`, async (t) => {
		const dir = t.context as string;
		const script = join(dir, 'program.mjs');
		await writeFile(script, `${program}\nconsole.log('runs');`);
		const child = spawn(process.execPath, [script, 'up', '--data-dir', dir], { stdio: ['ignore', 'pipe', 'inherit'] });
		try {
			await once(child.stdout, 'data');
			const settled = settle({ name: 'ends', dataDir: dir });
			t.is(await takeDown(settled, { clock: realClock, remove: true, progress: () => {} }), 'unknown');
			const stat = await processStat(child.pid ?? 0);
			t.true(stat === undefined || stat.state === 'Z', stat?.state);
		} finally {
			child.kill('SIGKILL');
		}
	});

test('cluster state survives, and a newer version is refused', async (t) => {
	const dir = t.context as string;
	t.is(await readClusterState(dir), undefined);
	const state = { name: 'a', port: 1, kubeletPort: 2, podSubnet: 'p', serviceSubnet: 's', nodeName: 'n' };
	await writeClusterState(dir, state);
	t.like(await readClusterState(dir), state);
	await writeFile(join(dir, 'cluster.json'), '{"version":99}');
	await t.throwsAsync(readClusterState(dir), { message: /has version 99/ });
});

test('mergeAccess(): into nothing, beside others, and again', (t) => {
	const fresh = parse(mergeAccess(undefined, access)) as { clusters: { cluster: { server: string } }[]; 'current-context': string };
	t.is(fresh['current-context'], 'kubeling');
	t.is(fresh.clusters[0]?.cluster.server, access.server);
	const other =
		'apiVersion: v1\nkind: Config\n# mine\nclusters:\n- name: work\n  cluster: {server: https://w}\ncurrent-context: work\ncontexts: []\nusers: null\n';
	const merged = mergeAccess(mergeAccess(other, access), { ...access, server: 'https://127.0.0.1:7443' });
	t.regex(merged, /# mine/);
	const parsed = parse(merged) as { clusters: { name: string; cluster: { server: string } }[] };
	t.deepEqual(
		parsed.clusters.map((c) => [c.name, c.cluster.server]),
		[
			['work', 'https://w'],
			['kubeling', 'https://127.0.0.1:7443'],
		],
	);
	const removed = parse(removeAccess(merged, 'kubeling')) as { clusters: { name: string }[]; 'current-context': string };
	t.deepEqual(
		removed.clusters.map((c) => c.name),
		['work'],
	);
	t.is(removed['current-context'], '');
});

test('a kubeconfig that is a link to another file stays one', async (t) => {
	const [kept, path] = [join(t.context as string, 'kept'), join(t.context as string, 'config')];
	await writeFile(kept, 'apiVersion: v1\nkind: Config\n');
	await symlink(kept, path);
	await mergeIntoFile(path, access);
	t.true((await lstat(path)).isSymbolicLink());
	t.regex(await readFile(kept, 'utf8'), /current-context: kubeling/);
	await removeFromFile(path, 'kubeling');
	t.true((await lstat(path)).isSymbolicLink());
	t.notRegex(await readFile(kept, 'utf8'), /name: kubeling/);
});

test('a kubeconfig that is a device, as /dev/null is, stays one', async (t) => {
	const path = join(t.context as string, 'null');
	const made = spawnSync('mknod', [path, 'c', '1', '3'], { encoding: 'utf8' });
	if (made.status !== 0) return t.pass(`skipped: ${made.stderr}`);
	for (const change of [() => mergeIntoFile(path, access), () => removeFromFile(path, 'kubeling')]) {
		// Where devices may not be opened it is refused; replaced it never is.
		await change().catch((error: NodeJS.ErrnoException) => t.is(error.code, 'EACCES'));
		t.true((await lstat(path)).isCharacterDevice());
	}
});

test('a broken kubeconfig is named and left as it is', async (t) => {
	const path = join(t.context as string, 'config');
	await writeFile(path, 'a: [');
	await t.throwsAsync(mergeIntoFile(path, access), { message: new RegExp(`The kubeconfig "${path}" is not valid YAML`) });
	t.is(await readFile(path, 'utf8'), 'a: [');
});

test('userKubeconfigPath(): KUBECONFIG as kubectl reads it', (t) => {
	const dir = t.context as string;
	t.is(userKubeconfigPath({ KUBECONFIG: `${dir}/none:${dir}` }), dir);
	t.is(userKubeconfigPath({ KUBECONFIG: `${dir}/a:${dir}/b` }), `${dir}/b`);
	t.regex(userKubeconfigPath({}), /\.kube\/config$/);
});

test('ports: a used one is seen and passed over', async (t) => {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	t.false(await isFree(port, '127.0.0.1'));
	t.true((await freePort(port, '127.0.0.1')) > port);
	server.close();
});
