/** The CNI client with real programs, files and folders. */
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { type CachedAttachment, CniCache } from './cache.ts';
import { ConfDir } from './conf-dir.ts';
import { parseConfig } from './config.ts';
import { cniExec } from './exec.ts';

const POD = { containerId: 'c1', netns: '/proc/1/ns/net', ifname: 'eth0', args: [] } as const;

const folder = async (t: { teardown(fn: () => Promise<void>): void }): Promise<string> => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-cni-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
};
test('programs: input, output, failures, and one that never ends with all that it started', async (t) => {
	const dir = await folder(t);
	const program = async (name: string, script: string): Promise<void> => {
		await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`);
		await chmod(join(dir, name), 0o755);
	};
	await program('echo', 'cat; echo; echo "$CNI_COMMAND $CNI_IFNAME"');
	await program('fail', 'echo \'{"code":7,"msg":"no"}\'; exit 1');
	await program('hang', 'sleep 1000 & sleep 1000');
	const exec = cniExec({ binDirs: [join(dir, 'none'), dir], clock: realClock });
	t.is(await exec({ command: 'ADD', plugin: 'echo', config: { a: 1 }, attachment: POD }), '{"a":1}\nADD eth0\n');
	await t.throwsAsync(exec({ command: 'DEL', plugin: 'fail', config: {} }), {
		code: 'FailedPrecondition',
		message: /DEL failed \(code 7\): no/,
	});
	await t.throwsAsync(exec({ command: 'ADD', plugin: 'absent', config: {} }), {
		code: 'FailedPrecondition',
		message: /Cannot find CNI plug-in "absent" in/,
	});
	const brief = cniExec({ binDirs: [dir], clock: realClock, timeoutMs: 50 });
	await t.throwsAsync(brief({ command: 'ADD', plugin: 'hang', config: {} }), { code: 'DeadlineExceeded' });
});
test('what pods were connected with outlives the client', async (t) => {
	const dir = await folder(t);
	const entry: CachedAttachment = {
		network: {
			config: parseConfig('n.conflist', JSON.stringify({ cniVersion: '1.0.0', name: 'n', disableCheck: true, plugins: [{ type: 'p' }] })),
			version: '1.0.0',
		},
		containerId: 'c1',
		ifname: 'eth0',
		netns: '/run/netns/x',
		args: [['K8S_POD_NAME', 'p']],
		capabilityArgs: { portMappings: [] },
		result: undefined,
	};
	const broken: string[] = [];
	const cache = new CniCache(dir, (path) => broken.push(path));
	await cache.save(entry);
	await cache.save({ ...entry, containerId: 'c2', result: { cniVersion: '1.0.0', extra: 1 } });
	t.deepEqual((await cache.all()).length, 2);
	const [first] = await cache.of('c1');
	t.like(first, { containerId: 'c1', args: [['K8S_POD_NAME', 'p']], result: undefined, network: { version: '1.0.0' } });
	t.true(first?.network.config.disableCheck);
	t.deepEqual((await cache.of('c2'))[0]?.result, { cniVersion: '1.0.0', extra: 1 });
	await cache.remove(entry);
	await cache.remove(entry);
	t.deepEqual(await cache.of('c1'), []);
	await writeFile(join(dir, '.x.json.1234'), '{');
	await cache.clean();
	t.deepEqual(
		(await readdir(dir)).filter((n) => n.startsWith('.')),
		[],
	);
	await writeFile(join(dir, 'x.json'), '{');
	t.is((await cache.all()).length, 1);
	t.is(broken.length, 1);
});
test('the folder of configurations: the first file counts, whatever comes and goes', async (t) => {
	const dir = await folder(t);
	const conf = join(dir, 'a', 'net.d');
	const watched = new ConfDir(conf, noLog, () => {});
	t.teardown(async () => watched.stop());
	const until = (type: string, file = ''): Promise<boolean> =>
		eventually(
			() => `${type} ${file}, not ${JSON.stringify(watched.found)}`,
			async () => watched.found.type === type && (watched.found.type === 'none' || watched.found.file.endsWith(file)),
		).then(() => true);
	await watched.start();
	t.is(watched.found.type, 'none', 'nor is there a folder');
	await mkdir(conf, { recursive: true });
	const text = (name: string): string => JSON.stringify({ cniVersion: '1.0.0', name, plugins: [{ type: 'p' }] });
	await writeFile(join(conf, '20-b.conflist'), text('b'));
	await until('network', '20-b.conflist');
	await writeFile(join(conf, '.10-a.tmp'), '{');
	await writeFile(join(conf, '10-a.conflist'), '{');
	await until('broken', '10-a.conflist');
	await writeFile(join(conf, 'x'), text('a'));
	await rename(join(conf, 'x'), join(conf, '10-a.conflist'));
	await until('network', '10-a.conflist');
	await mkdir(join(conf, 'a'));
	await writeFile(join(conf, 'a', '1.conf'), '{"type":"beside"}');
	await watched.reload();
	t.deepEqual(watched.found.type === 'network' ? watched.found.config.plugins.map((p) => p.type) : [], ['p', 'beside']);
	await rm(join(dir, 'a'), { recursive: true });
	await until('none');
	await mkdir(conf, { recursive: true });
	await writeFile(join(conf, '30-c.conf'), '{"cniVersion":"0.3.1","name":"c","type":"p"}');
	await until('network', '30-c.conf');
});
