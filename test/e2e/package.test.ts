/** The package as a stranger gets it: packed, installed offline into an empty folder, run, imported and compiled against; and refused by an older Node.js. */
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import test from 'ava';
import { must, run } from '../tools/command.ts';
import { BUSYBOX, busyboxImage } from '../tools/images.ts';

const root = join(import.meta.dirname, '..', '..');
/** `up` has its programs a second time, in few large files. */
const MAX_TARBALL_BYTES = 3 * 1024 * 1024;
/** The compiler goes through everything, for the declarations. */
const PACK_BOUND_MS = 300_000;
const LEFT_OUT = new Set(['.git', '.cache', 'dist', 'node_modules']);

/** Packs a copy of the checkout, since packing builds and this one's bundle may be running. */
async function pack(dir: string): Promise<string> {
	const copy = join(dir, 'checkout');
	await cp(root, copy, { recursive: true, filter: (path) => dirname(path) !== root || !LEFT_OUT.has(basename(path)) });
	await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
	const [packed] = JSON.parse(
		await must('npm', ['pack', '--json', '--silent', '--pack-destination', dir], { cwd: copy, env: pinned(dir), timeoutMs: PACK_BOUND_MS }),
	) as [{ filename: string }];
	await rm(copy, { recursive: true });
	return join(dir, packed.filename);
}

/** What a user's shell has: this Node.js first, a kubeconfig and a home of its own, nothing of npm's. */
function pinned(dir: string): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS');
	const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
	return { ...Object.fromEntries(own), PATH: path, HOME: dir, KUBECONFIG: join(dir, 'kubeconfig') };
}

/** Runs a pod by the package's own client, then asks the package's own cluster library. */
const PROGRAM = `
import { CONFIG_MAPS, PODS, StatusError, type Pod } from 'kubeling/api';
import { realClock } from 'kubeling/base';
import { accessFromKubeconfig, createClient, createTransport, kubeconfigPaths, loadKubeconfig, type Client } from 'kubeling/client';
import { readClusterStatus } from 'kubeling/cluster';

const [, , name = '', dataDir = '', image = ''] = process.argv;
const { transport: options } = accessFromKubeconfig(await loadKubeconfig(kubeconfigPaths(process.env)), realClock);
const transport = createTransport(options);
const client: Client = createClient(transport, { userAgent: 'stranger' });
const pod: Pod = { metadata: { name: 'web', namespace: 'default' }, spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image, command: ['sleep', '1000'] }] } };
const { metadata } = await client.create(PODS, pod);
for await (const { object } of client.watch(PODS, { namespace: 'default', resourceVersion: metadata.resourceVersion ?? '0' }))
	if (object.status?.phase === 'Running') break;
const code = await client.get(CONFIG_MAPS, 'default/none').then(() => 200, (error: unknown) => (error instanceof StatusError ? error.httpCode : 0));
const status = await readClusterStatus(name, dataDir);
await transport.close();
console.log(JSON.stringify({ code, state: status.state, pods: status.state === 'running' ? status.pods : {} }));
`;

/** A strict consumer that checks our declarations too. */
const TSCONFIG = {
	compilerOptions: {
		...{ target: 'es2024', lib: ['es2025', 'esnext.disposable'], module: 'nodenext', noEmit: true, strict: true, skipLibCheck: false },
		...{ exactOptionalPropertyTypes: true, erasableSyntaxOnly: true, types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] },
	},
	include: ['*.ts'],
};

test('the package runs, imports and compiles outside the repository; an older Node.js gets one plain line', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-package-'));
	const name = `package-${process.pid}`;
	const which = ['--name', name, '--data-dir', join(dir, 'data')];
	const app = join(dir, 'app');
	const env = pinned(dir);
	const npx = (...args: readonly string[]): Promise<string> =>
		must('npx', ['--offline', 'kubeling', ...args], { cwd: app, env, timeoutMs: 120_000 });
	try {
		const [tarball] = await Promise.all([pack(dir), busyboxImage(), mkdir(app)]);
		const { size } = await stat(tarball);
		t.log(`${basename(tarball)}: ${Math.ceil(size / 1024)} KiB`);
		t.true(size < MAX_TARBALL_BYTES, `the tarball has ${size} bytes`);
		await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
		await must('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: app, env, timeoutMs: 240_000 });
		t.deepEqual(
			(await readdir(join(app, 'node_modules'))).filter((entry) => !entry.startsWith('.')),
			['kubeling'],
			'no dependencies',
		);

		await writeFile(join(app, 'program.ts'), PROGRAM);
		await writeFile(join(app, 'controller.ts'), packaged(await readFile(join(root, 'examples', 'namespace-config.ts'), 'utf8')));
		await writeFile(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
		await must(join(root, 'node_modules', '.bin', 'tsc'), ['--project', app], { env, timeoutMs: 240_000 });

		t.regex(await npx('up', '--detach', '--port', '0', ...which), /is up/);
		const said = JSON.parse(
			await must('node', ['program.ts', name, join(dir, 'data'), BUSYBOX], { cwd: app, env, timeoutMs: 120_000 }),
		) as object;
		t.deepEqual(said, { code: 404, state: 'running', pods: { Running: 1 } });
		t.regex(await npx('down', '--delete', ...which), /is gone/);
		await t.throwsAsync(access(join(dir, 'data')));
		t.is(await must('docker', ['ps', '-aq', '--filter', `name=kubeling_${name}-`]), '');

		for (const { code, stdout, stderr } of await olderNodes(join(app, 'node_modules', 'kubeling', 'cli', 'launcher.js'))) {
			t.not(code, 0);
			t.is(stdout, '');
			t.regex(stderr, /^kubeling needs Node\.js 24 or later; this is v[\d.]+\. Install a newer one .*\n$/);
		}
	} finally {
		await run('npx', ['--offline', 'kubeling', 'down', '--delete', ...which], { cwd: app, env, timeoutMs: 120_000 }).catch(() => {});
		await rm(dir, { recursive: true, force: true });
	}
});

/** An example as a user of the package writes it. */
function packaged(source: string): string {
	return source.replaceAll(/'\.\.\/(api|base|client|cluster)\/[^']*'/g, "'kubeling/$1'");
}

/** The command under every older Node.js of this machine, and under one that only says that it is old. */
async function olderNodes(launcher: string): Promise<readonly { code: number; stdout: string; stderr: string }[]> {
	const pretend = `Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } }); Object.defineProperty(process, 'version', { value: 'v18.20.4' }); await import(${JSON.stringify(launcher)})`;
	const results = [await run(process.execPath, ['--input-type=module', '-e', pretend])];
	for (const folder of new Set(process.env['PATH']?.split(delimiter))) {
		const node = join(folder, 'node');
		const version = await run(node, ['--version']).catch(() => undefined);
		const major = Number(/^v(\d+)\./.exec(version?.stdout ?? '')?.[1]);
		if (major < 24) results.push(await run(node, [launcher, 'up']));
	}
	return results;
}
