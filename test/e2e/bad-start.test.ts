/** Starts that cannot succeed: one plain message with the next step, an exit code that is not 0, nothing half-started, nothing lost. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { NodeList } from '../../api/gen/types.ts';
import { readClusterState } from '../../cluster/data-folder.ts';
import { holderOf } from '../../cluster/lock.ts';
import { containerNames, processesOf } from '../crash/traces.ts';
import { must, run, type Result } from '../tools/command.ts';
import { kubectl } from '../tools/kubectl.ts';
import { LAUNCHER, testCluster, type TestCluster } from './cluster.ts';

/** What every refused start must show and leave. `untouched`: a file that must be as it was. */
async function refused(
	t: ExecutionContext,
	cluster: TestCluster,
	start: (flags: readonly string[]) => Promise<Result>,
	message: RegExp,
	untouched?: string,
): Promise<void> {
	for (const flags of [['--detach'], []]) {
		const before = await digest(untouched);
		const result = await start(flags);
		t.not(result.code, 0, `${flags.join(' ')}: ${result.stdout}`);
		const said = result.stderr.trim();
		t.regex(said, message);
		t.regex(said, /^kubeling: /);
		t.notRegex(said, /\n\s+at |Error:|\b(EEXIST|ENOTDIR|ENOSPC|EACCES|EADDRINUSE|errno)\b/, 'plain words, no stack');
		t.is(await digest(untouched), before);
		t.deepEqual(await containerNames(cluster.name), [], 'containers');
		t.is(await holderOf(cluster.dataDir), undefined, 'lock');
		t.false(
			(await readdir(cluster.dataDir).catch(() => [])).some((name) => name.startsWith('lock')),
			'lock file',
		);
		t.deepEqual(await processesOf(cluster.dataDir), [], 'processes');
	}
}

async function digest(path: string | undefined): Promise<string> {
	return path === undefined
		? ''
		: createHash('sha256')
				.update(await readFile(path))
				.digest('hex');
}

const plainUp =
	(cluster: TestCluster, ...more: readonly string[]) =>
	(flags: readonly string[]): Promise<Result> =>
		cluster.kubeling('up', '--port', '0', ...flags, ...more);

test.serial('a used port', async (t) => {
	await using cluster = await testCluster('bad');
	const server = createServer().listen(0, '0.0.0.0');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	try {
		await refused(
			t,
			cluster,
			(flags) => cluster.kubeling('up', '--port', String(port), ...flags),
			new RegExp(`Port ${port} is in use by another program\\. Stop it, or choose another with --port`),
		);
	} finally {
		server.close();
	}
});

test.serial('ports that others took while a cluster was down: its own is refused by name, the node looks for another', async (t) => {
	await using cluster = await testCluster('bad');
	await cluster.up();
	const before = await readClusterState(cluster.dataDir);
	await cluster.kubeling('down');
	for (const port of [before?.port, before?.kubeletPort]) {
		const server = createServer().listen(port, '0.0.0.0');
		await once(server, 'listening');
		try {
			if (port === before?.port) await refused(t, cluster, plainUp(cluster), new RegExp(`Port ${port} is in use by another program`));
			else t.regex(await cluster.up(), /is back/);
		} finally {
			server.close();
		}
	}
	const after = await readClusterState(cluster.dataDir);
	t.is(after?.port, before?.port);
	t.not(after?.kubeletPort, before?.kubeletPort);
	const node = JSON.parse(await must(await kubectl('1.33'), ['get', 'nodes', '-o', 'json'], { env: cluster.env })) as NodeList;
	t.is(node.items[0]?.status?.daemonEndpoints?.kubeletEndpoint?.Port, after?.kubeletPort);
});

test.serial('a reader that has enough: the command ends without a word', async (t) => {
	const command = spawn(process.execPath, [LAUNCHER, 'doctor'], { stdio: ['ignore', 'pipe', 'pipe'] });
	command.stdout.destroy();
	const [said, [code]] = await Promise.all([text(command.stderr), once(command, 'close')]);
	t.is(said, '');
	t.is(code, 141);
});

test.serial('no engine', async (t) => {
	await using cluster = await testCluster('bad');
	const nowhere = `unix://${cluster.dir}/nowhere.sock`;
	await refused(
		t,
		cluster,
		plainUp(cluster, '--docker-host', nowhere),
		/No Docker Engine answers at "unix:.*nowhere\.sock"\. Start it, or/,
	);
	const which = ['--name', cluster.name, '--data-dir', cluster.dataDir];
	const start = (flags: readonly string[]): Promise<Result> =>
		run(process.execPath, [LAUNCHER, 'up', ...which, ...flags], { env: { ...cluster.env, DOCKER_HOST: nowhere } });
	await refused(t, cluster, start, /No Docker Engine answers at "unix:.*nowhere\.sock"\. Start it, or/);
	await refused(
		t,
		cluster,
		plainUp(cluster, '--docker-host', 'nonsense'),
		/--docker-host "nonsense" is no address of an engine: use unix:/,
	);
});

test.serial('no root', async (t) => {
	await using cluster = await testCluster('bad');
	const home = join(cluster.dir, 'home');
	await mkdir(home);
	await must('chown', ['nobody', home]);
	await chmod(cluster.dir, 0o755);
	const dataDir = join(home, 'data');
	const start = (flags: readonly string[]): Promise<Result> =>
		run(
			'setpriv',
			[
				'--reuid=nobody',
				'--regid=nogroup',
				'--clear-groups',
				process.execPath,
				LAUNCHER,
				'up',
				'--name',
				cluster.name,
				'--data-dir',
				dataDir,
				...flags,
			],
			{ env: { ...cluster.env, HOME: home, KUBECONFIG: join(home, 'kubeconfig') } },
		);
	await refused(t, { ...cluster, dataDir }, start, /Not running as root\. Pod networks and volumes need root: run with sudo\./);
});

test.serial('a data folder that is a file, lies under one, or may not be written', async (t) => {
	await using cluster = await testCluster('bad');
	const file = join(cluster.dir, 'file');
	await writeFile(file, 'precious');
	for (const dataDir of [file, join(file, 'below')]) {
		const start = (flags: readonly string[]): Promise<Result> =>
			run(process.execPath, [LAUNCHER, 'up', '--name', cluster.name, '--data-dir', dataDir, ...flags], { env: cluster.env });
		await refused(t, { ...cluster, dataDir }, start, /The data folder ".*" cannot be used: ".*\/file" is a file.*another --data-dir/, file);
	}
	const start = (flags: readonly string[]): Promise<Result> =>
		run(process.execPath, [LAUNCHER, 'up', '--name', cluster.name, '--data-dir', '/proc/kubeling', ...flags], { env: cluster.env });
	await refused(
		t,
		{ ...cluster, dataDir: '/proc/kubeling' },
		start,
		/The data folder "\/proc\/kubeling" cannot be used: .*another --data-dir/,
	);
});

test.serial('a full disk', async (t) => {
	await using cluster = await testCluster('bad');
	await mkdir(cluster.dataDir);
	for (const size of ['16k', '64k', '200k']) {
		await must('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'kubeling-test', cluster.dataDir]);
		try {
			await refused(t, cluster, plainUp(cluster), /The disk .* is full.* Free some space/);
		} finally {
			await must('umount', [cluster.dataDir]);
		}
	}
});

test.serial('what a cluster keeps is locked, corrupt, or of a newer version', async (t) => {
	await using cluster = await testCluster('bad');
	await cluster.up();
	const holder = await holderOf(cluster.dataDir);
	for (const flags of [['--detach'], []]) {
		const second = await plainUp(cluster)(flags);
		t.is(second.code, 1);
		t.regex(
			second.stderr,
			new RegExp(`The data folder ".*" is in use by process ${holder?.pid}\\. Stop it with "kubeling down --data-dir`),
		);
		t.deepEqual(await holderOf(cluster.dataDir), holder);
	}
	t.is((await cluster.kubeling('status')).code, 0);
	t.is((await cluster.kubeling('down')).code, 0);

	const database = join(cluster.dataDir, 'store', 'state.db');
	const whole = await readFile(database);
	const keeping = async (path: string, body: () => Promise<void>): Promise<void> => {
		const before = await readFile(path);
		try {
			await body();
		} finally {
			await writeFile(path, before);
		}
	};
	for (const isolate of [[], ['--isolate']]) {
		const start = plainUp(cluster, ...isolate);
		await keeping(database, async () => {
			await writeFile(database, Buffer.concat([Buffer.from('no database at all'), whole.subarray(18)]));
			await refused(t, cluster, start, /The database ".*state\.db" is corrupt: .* Restore it from a copy, or move it away/, database);
			await writeFile(database, Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 0xa5)]));
			await refused(t, cluster, start, /The database ".*state\.db" is corrupt: .* Restore it from a copy, or move it away/, database);
			await writeFile(database, whole.subarray(0, 100));
			await refused(t, cluster, start, /The database ".*state\.db" is corrupt: .* Restore it from a copy, or move it away/, database);
		});
		await keeping(database, async () => {
			const db = new DatabaseSync(database);
			db.exec('PRAGMA user_version = 99');
			db.close();
			await refused(
				t,
				cluster,
				start,
				/has version 99; this program knows version \d+\. Use the program that wrote it, or another data folder/,
				database,
			);
		});
	}
	for (const [name, content, message] of [
		['cluster.json', '{"version":99}', /cluster\.json" has version 99; this program knows version 1\. Use the program that wrote it/],
		['cluster.json', '{"ver', /cluster\.json" is not valid JSON\. Restore it from a copy/],
		['cri/instance.json', 'x', /instance\.json" is not valid JSON\. Restore it from a copy/],
		['pki/ca.crt', 'x', /pki\/ca\.(crt|key)".* Restore/],
	] as const) {
		const path = join(cluster.dataDir, name);
		await keeping(path, async () => {
			await writeFile(path, content);
			await refused(t, cluster, plainUp(cluster), message, path);
		});
	}
	t.regex(await cluster.up(), /is back/);
	t.is((await cluster.kubeling('status')).code, 0);
});

test.serial('a refused start of a new cluster is no obstacle to the next one', async (t) => {
	await using cluster = await testCluster('bad');
	t.not((await plainUp(cluster, '--docker-host', 'unix:///nowhere.sock')(['--detach'])).code, 0);
	t.regex(await cluster.up(), /is up/);
	await cluster.kubeling('down', '--delete');
	await t.throwsAsync(access(cluster.dataDir));
	t.not((await plainUp(cluster, '--docker-host', 'unix:///nowhere.sock')(['--detach'])).code, 0);
	t.is((await cluster.kubeling('down', '--delete')).code, 0);
	await t.throwsAsync(access(cluster.dataDir), undefined, 'down --delete takes what a refused start left');
	await mkdir(join(cluster.dataDir, 'mine'), { recursive: true });
	await cluster.kubeling('down', '--delete');
	await t.notThrowsAsync(access(join(cluster.dataDir, 'mine')), 'and nothing that is not a cluster');
	await rm(dirname(join(cluster.dataDir, 'mine')), { recursive: true });
});
