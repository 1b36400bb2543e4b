/**
 * What a hostile pod, caller or neighbour may try. Each test fails when its defence is taken out: `npm run soak -- agent-defences` does so, one after
 * the other (test/crash/agent/defences.ts). Races of links in volumes are in volume/sub-path.integration.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import { c, playing, statusOf } from '../test/fakes/playing.ts';
import { ask, askPlain, serve, stranger } from '../test/fakes/served-node.ts';
import { SimulatedNode } from '../test/fakes/simulated-node.ts';
import { eventually } from '../test/tools/eventually.ts';
import { envFiles } from './container/env-files.ts';
import { makeTerminationFile } from './container/termination-file.ts';
import { terminationFile, volumeFolder } from './pod/folders.ts';
import { removeLogs, rotateLog } from './gc/log-rotation.ts';
import { readLog } from './server/log-stream.ts';
import { lastLines } from './server/log-tail.ts';

const line = (text: string): string => `2026-01-01T00:00:00.000000000Z stdout F ${text}\n`;

interface Logs {
	/** The log that somebody has put something else in place of. */
	readonly path: string;
	/** Another pod's. */
	readonly victim: string;
}

/** The folder of pods' logs, with those of two pods. */
async function logs(t: ExecutionContext): Promise<Logs> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-logs-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const [path, victim] = [join(dir, 'n_hostile_1', 'c', '0.log'), join(dir, 'n_victim_2', 'c', '0.log')];
	for (const file of [path, victim]) await mkdir(join(file, '..'), { recursive: true });
	await writeFile(victim, line('the secret of another pod'));
	return { path, victim };
}

const IN_PLACE: readonly (readonly [string, (logs: Logs) => unknown])[] = [
	['a link', ({ path, victim }) => symlink(victim, path)],
	[
		'a folder that is a link',
		async ({ path, victim }) => {
			await rm(join(path, '..'), { recursive: true });
			await symlink(join(victim, '..'), join(path, '..'));
		},
	],
	['a second name', ({ path, victim }) => link(victim, path)],
	['a pipe', ({ path }) => execFileSync('mkfifo', [path])],
];

for (const [what, put] of IN_PLACE)
	test(`${what} in place of a log is not read`, async (t) => {
		const there = await logs(t);
		await put(there);
		const source = { path: there.path, clock: realClock, running: () => Promise.resolve(false) };
		const options = {
			follow: false,
			timestamps: false,
			previous: false,
			since: undefined,
			tailLines: undefined,
			limitBytes: undefined,
			stream: undefined,
		};
		await t.throwsAsync(async () => {
			for await (const _chunk of readLog(source, options, new AbortController().signal)) t.fail('something was read');
		});
		await t.throwsAsync(lastLines(there.path, 10, 1000));
	});

test('a link that takes the place of a log under a reader is not gone on with', async (t) => {
	const { path, victim } = await logs(t);
	await writeFile(path, line('own'));
	let swapped = false;
	const source = { path, clock: realClock, running: () => Promise.resolve(!swapped) };
	const options = {
		follow: true,
		timestamps: false,
		previous: false,
		since: undefined,
		tailLines: undefined,
		limitBytes: undefined,
		stream: undefined,
	};
	const read: string[] = [];
	await t.throwsAsync(async () => {
		for await (const chunk of readLog(source, options, new AbortController().signal)) {
			read.push(Buffer.from(chunk).toString());
			if (swapped) return;
			await rename(path, `${path}.1`);
			await symlink(victim, path);
			swapped = true;
		}
	});
	t.deepEqual(read, ['own\n']);
});

test('a file of variables is read where it is, and nothing in its place', async (t) => {
	const volume = await mkdtemp(join(tmpdir(), 'kubeling-env-'));
	t.teardown(() => rm(volume, { recursive: true, force: true }));
	const read = async (path: string): Promise<string | undefined> => {
		const env = [{ name: 'F', valueFrom: { fileKeyRef: { volumeName: 'v', path, key: 'K' } } }];
		return (await envFiles({ name: 'c', env }, new Map([['v', { kind: 'folder', path: volume }]]))).get(`v/${path}`);
	};
	await mkdir(join(volume, 'folder'));
	await writeFile(join(volume, 'folder/app.env'), "K='v'");
	t.is(await read('folder/app.env'), "K='v'");
	t.is(await read('folder/none'), undefined);
	await writeFile(join(volume, 'most'), 'a'.repeat(2 ** 20));
	t.is((await read('most'))?.length, 2 ** 20);
	await writeFile(join(volume, 'more'), 'a'.repeat(2 ** 20 + 1));
	await t.throwsAsync(read('more'), { message: 'the environment variable file "more" is too long' });
	await symlink('/etc/hostname', join(volume, 'link'));
	await symlink('/etc', join(volume, 'away'));
	execFileSync('mkfifo', [join(volume, 'pipe')]);
	for (const path of ['link', 'away/hostname', '../other', 'pipe', 'folder']) await t.throwsAsync(read(path), undefined, path);
});

test('rotation neither reads nor writes nor removes anything by a link', async (t) => {
	const { path, victim } = await logs(t);
	const rotate = (): Promise<boolean> => rotateLog(path, { maxBytes: 1, maxFiles: 5 }, 0, () => writeFile(path, ''));
	await symlink(victim, path);
	t.false(await rotate(), 'a link is no log that has grown');
	await rm(path);
	await writeFile(path, line('own'));
	await symlink(victim, `${path}.20200101-000000`);
	await t.throwsAsync(rotate(), undefined, 'what another pod wrote is not copied');
	t.deepEqual(
		(await readdir(join(path, '..'))).filter((name) => name.endsWith('.gz')),
		[],
	);
	await rm(join(path, '..'), { recursive: true });
	await symlink(join(victim, '..'), join(path, '..'));
	await t.throwsAsync(rotate());
	await t.throwsAsync(removeLogs(path));
	t.is(await readFile(victim, 'utf8'), line('the secret of another pod'));
	t.deepEqual(await readdir(join(victim, '..')), ['0.log']);
});

test('a link in place of the termination message is neither read nor written through', async (t) => {
	const { node } = await playing({ script: () => ({ runMs: 5000, exitCode: 1 }) });
	await using _ = node;
	const victim = join(node.rootDir, 'victim');
	await writeFile(victim, 'the secret of the node');
	await node.create('p');
	const { uid = '' } = node.pod('p')?.metadata ?? {};
	const at = (attempt: number): string => terminationFile(node.rootDir, uid, 'c', attempt);
	await rm(at(0));
	await symlink(victim, at(0));
	await symlink(victim, at(1));
	await node.advance(6000);
	t.is(statusOf(node.pod('p'))?.lastState?.terminated?.message ?? statusOf(node.pod('p'))?.state?.terminated?.message, undefined);
	await node.advance(60_000);
	t.is(await readFile(victim, 'utf8'), 'the secret of the node');
	t.is((await stat(victim)).mode & 0o777, 0o644);
});

test('a folder of termination messages that is a link: nothing is made or changed where it leads', async (t) => {
	const rootDir = await mkdtemp(join(tmpdir(), 'kubeling-termination-'));
	t.teardown(() => rm(rootDir, { recursive: true, force: true }));
	const [victim, folder] = [join(rootDir, 'victim'), dirname(terminationFile(rootDir, 'u', 'c', 0))];
	await mkdir(victim);
	await mkdir(dirname(folder), { recursive: true });
	await symlink(victim, folder);
	await t.throwsAsync(makeTerminationFile(rootDir, 'u', 'c', 0), { code: 'PermissionDenied' });
	t.deepEqual(await readdir(victim), []);
	await rm(folder);
	t.is(await makeTerminationFile(rootDir, 'u', 'c', 0), terminationFile(rootDir, 'u', 'c', 0));
});

test('volumes that show objects of the API are mounted read-only, whatever a container asks for', async (t) => {
	const { node } = await playing();
	await using _ = node;
	node.transport.api.create('/api/v1/configmaps', { metadata: { name: 'm' }, data: { k: 'v' } } as never, 'n');
	node.transport.api.create('/api/v1/secrets', { metadata: { name: 's' }, data: { k: '' } } as never, 'n');
	const volumes = [
		{ name: 'map', configMap: { name: 'm' } },
		{ name: 'secret', secret: { secretName: 's' } },
		{ name: 'info', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
		{ name: 'all', projected: { sources: [{ configMap: { name: 'm' } }] } },
		{ name: 'empty', emptyDir: {} },
	];
	const given = new Map<string, boolean>();
	const create = node.runtime.createContainer.bind(node.runtime);
	node.runtime.createContainer = (sandbox, pod, name, options, signal) => {
		for (const { containerPath, readOnly } of options.mounts) given.set(containerPath, readOnly);
		return create(sandbox, pod, name, options, signal);
	};
	const volumeMounts = [...volumes.map(({ name }) => ({ name, mountPath: `/${name}` })), { name: 'empty', mountPath: '/map/inner' }];
	await node.create('p', { volumes, containers: [c({ volumeMounts })] });
	await node.advance(1000);
	t.deepEqual(
		volumes.map(({ name }) => given.get(`/${name}`)),
		[true, true, true, true, false],
	);
	const folder = volumeFolder(node.rootDir, node.pod('p')?.metadata.uid ?? '', 'configmap', 'map');
	t.deepEqual((await readdir(folder)).toSorted().slice(-2), ['inner', 'k'], 'a place for what is mounted within');
});

const ROUTES = [
	['GET', '/healthz'],
	['GET', '/healthz/syncloop'],
	['GET', '/pods'],
	['GET', '/runningpods/'],
	['GET', '/configz'],
	['GET', '/statusz'],
	['GET', '/flagz'],
	['GET', '/metrics'],
	['GET', '/metrics/cadvisor'],
	['GET', '/metrics/probes'],
	['GET', '/metrics/resource'],
	['GET', '/metrics/slis'],
	['GET', '/stats/summary'],
	['GET', '/containerLogs/n/p/c'],
	['GET', '/logs/'],
	['GET', '/debug/pprof/profile'],
	['POST', '/checkpoint/n/p/c'],
	['POST', '/run/n/p/c?cmd=id'],
	['GET', '/nothing'],
] as const;
const STREAMS = ['/exec/n/p/c?command=id&output=1', '/attach/n/p/c?output=1', '/portForward/n/p'].flatMap((path) =>
	(['GET', 'POST'] as const).map((method) => [method, path] as const),
);
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket' };

test('who shows nothing that counts sees and does nothing, by any route', async (t) => {
	const { server, asked } = await serve(t);
	const nobodies = [
		{ identity: 'nobody' },
		{ identity: stranger },
		{ identity: 'nobody', headers: { authorization: 'Basic YTpi' } },
	] as const;
	for (const who of nobodies) {
		for (const [method, path] of ROUTES) t.is((await ask(server.port, path, { ...who, method })).status, 401, path);
		for (const [method, path] of STREAMS)
			t.is((await ask(server.port, path, { ...who, method, headers: { ...UPGRADE } })).status, 401, path);
	}
	t.deepEqual(asked, [], 'nobody is asked what a nobody may do');
	await t.throwsAsync(askPlain(server.port, '/pods'), undefined, 'it is TLS or nothing');
});

test('where nobodies are let in, they may what the API server says: nothing, by any route', async (t) => {
	const { server, asked } = await serve(t, { authentication: { anonymous: { enabled: true } } }, { may: () => false });
	for (const [method, path] of ROUTES) t.is((await ask(server.port, path, { identity: 'nobody', method })).status, 403, path);
	for (const [method, path] of STREAMS)
		t.is((await ask(server.port, path, { identity: 'nobody', method, headers: UPGRADE })).status, 403, path);
	t.true(asked.length > 0);
});

test('who may only read executes nothing: neither by GET nor by a WebSocket', async (t) => {
	const { server } = await serve(t, {}, { may: (right) => right.startsWith('get ') });
	for (const [method, path] of STREAMS) t.is((await ask(server.port, path, { method, headers: UPGRADE })).status, 403, `${method} ${path}`);
	t.is((await ask(server.port, '/exec/n/p/c?command=id', { headers: { connection: 'upgrade', upgrade: 'SPDY/3.1' } })).status, 403);
	t.is((await ask(server.port, '/run/n/p/c?cmd=id', { method: 'POST' })).status, 403);
	t.is((await ask(server.port, '/run/n/p/c?cmd=id')).status, 405);
	t.is((await ask(server.port, '/checkpoint/n/p/c', { method: 'POST' })).status, 403);
});

test('a flood of checkpoints: of one container one at a time', async (t) => {
	const { server, node } = await serve(t);
	const gate = Promise.withResolvers<void>();
	let running = 0;
	node.runtime.checkpoint = () => {
		running++;
		return gate.promise;
	};
	let refused = 0;
	const flood = Array.from({ length: 20 }, async () => {
		const { status } = await ask(server.port, '/checkpoint/n/p/c', { method: 'POST' });
		if (status === 429) refused++;
		return status;
	});
	await eventually('all are under way or refused', async () => running + refused === flood.length);
	gate.resolve();
	t.is((await Promise.all(flood)).filter((status) => status === 200).length, 1);
});

test.serial('a flood of log queries: four at a time', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-journal-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const goOn = join(dir, 'go-on');
	await writeFile(join(dir, 'journalctl'), `#!/bin/sh\nwhile [ ! -e ${goOn} ]; do sleep 0.05; done\n`);
	await chmod(join(dir, 'journalctl'), 0o755);
	const before = process.env['PATH'] ?? '';
	process.env['PATH'] = `${dir}${delimiter}${before}`;
	t.teardown(() => (process.env['PATH'] = before));
	const { server } = await serve(t, { enableSystemLogQuery: true });
	let refused = 0;
	const flood = Array.from({ length: 12 }, async () => {
		const { status } = await ask(server.port, '/logs/?query=some-service');
		if (status === 429) refused++;
		return status;
	});
	await eventually('eight are refused', async () => refused === 8);
	await writeFile(goOn, '');
	t.deepEqual((await Promise.all(flood)).toSorted(), [200, 200, 200, 200, ...Array.from({ length: 8 }, () => 429)]);
});

test('headers for the server of static pods are shown to nobody', async (t) => {
	const { server } = await serve(t, { staticPodURL: 'https://x', staticPodURLHeader: { Authorization: ['Bearer hush-hush'] } });
	for (const path of ['/configz', '/flagz', '/debug/flags', '/statusz']) {
		const { body } = await ask(server.port, path);
		t.notRegex(body, /hush-hush/);
	}
	t.regex((await ask(server.port, '/configz')).body, /"Authorization":\["<masked>"\]/);
});

/** Short, so that who quotes the beginning of it quotes all. */
const SECRET = 'hush-word';

/** A pod that uses a Secret in every way, and fails in some; in a node whose every word is kept. */
test('secrets and tokens stand in no log line, event or status', async (t) => {
	const lines: string[] = [];
	const log = createLog({ level: 'debug', write: (text) => lines.push(text) });
	await using node = await SimulatedNode.start({ images: ['i:latest'], script: () => ({ failStart: 'no such file' }) }, log);
	const { api } = node.transport;
	const secret = (name: string, key: string, text: string): unknown =>
		api.create('/api/v1/secrets', { metadata: { name }, data: { [key]: Buffer.from(text).toString('base64') } } as never, 'n');
	secret('s', 'word', SECRET);
	secret('pull', '.dockerconfigjson', JSON.stringify({ auths: { 'registry.test': { username: 'u', password: SECRET } } }));
	secret('broken', '.dockerconfigjson', SECRET);
	node.transport.intercept = ({ subresource }) => {
		if (subresource === 'token') throw new Error('the answer was lost');
	};
	const volumes = [
		{ name: 's', secret: { secretName: 's' } },
		{ name: 'k', secret: { secretName: 's', items: [{ key: 'other', path: 'x' }] } },
		{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
	];
	const env = [{ name: 'W', valueFrom: { secretKeyRef: { name: 's', key: 'word' } } }];
	for (const [name, spec] of Object.entries({
		environment: { containers: [c({ env, command: ['sh', '-c', '$(W)'] })] },
		volume: {
			volumes: volumes.slice(0, 1),
			containers: [c({ env, volumeMounts: [{ name: 's', mountPath: '/s', subPath: 'word/x' }] })],
		},
		key: { volumes: volumes.slice(1, 2), containers: [c()] },
		token: { volumes: volumes.slice(2), containers: [c()] },
		pull: {
			imagePullSecrets: [{ name: 'pull' }, { name: 'broken' }],
			containers: [c({ image: 'registry.test/none', imagePullPolicy: 'Always' as const })],
		},
	}))
		await node.create(name, spec);
	await node.advance(30_000);
	t.true(lines.length > 0, 'things were said');
	const told = [...lines, ...node.transport.requests.map((r) => JSON.stringify([r.collection, r.body]))].filter((text) =>
		text.includes(SECRET),
	);
	t.deepEqual(told, []);
	t.true(node.events('environment').length > 0);
});

test('tokens and secrets are files of their owner alone, or of the pod group', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const { api } = node.transport;
	api.create('/api/v1/secrets', { metadata: { name: 's' }, data: { word: 'eA==' } } as never, 'n');
	const create = node.context.client.create.bind(node.context.client);
	Object.assign(node.context.client, {
		create: (resource: never, object: never, options: { subresource?: string }) =>
			options?.subresource === 'token'
				? Promise.resolve({ status: { token: 't', expirationTimestamp: '2027-01-01T00:00:00Z' } })
				: create(resource, object, options as never),
	});
	const volumes = [
		{ name: 't', projected: { defaultMode: 0o644, sources: [{ serviceAccountToken: { path: 'token' } }] } },
		{ name: 's', secret: { secretName: 's', defaultMode: 0o400 } },
	];
	await node.create('owned', { securityContext: { runAsUser: process.getuid?.() ?? 0 }, volumes });
	const { uid = '' } = node.pod('owned')?.metadata ?? {};
	const modeOf = async (plugin: string, volume: string, file: string): Promise<string> =>
		((await stat(join(volumeFolder(node.rootDir, uid, plugin, volume), file))).mode & 0o777).toString(8);
	t.is(await modeOf('projected', 't', 'token'), '600');
	t.is(await modeOf('secret', 's', 'word'), '400');
});
