/** CDI: which edits a device makes, and what they are in a create body. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { applyCdi } from './apply.ts';
import { cdiEdits } from './registry.ts';
import { cdiName, cdiSpec } from './spec.ts';

const JSON_SPEC = {
	cdiVersion: '0.6.0',
	kind: 'vendor.com/net',
	containerEdits: { env: ['VENDOR=1'] },
	devices: [
		{ name: 'one', containerEdits: { deviceNodes: [{ path: '/dev/one' }] } },
		{ name: 'two', containerEdits: { deviceNodes: [{ path: '/dev/two', hostPath: '/dev/null', permissions: 'r' }] } },
	],
};
const YAML_SPEC = `cdiVersion: "0.5.0"
kind: vendor.com/gpu
devices:
- name: "0"
  containerEdits:
    env: [GPU=0]
    mounts:
    - {hostPath: /lib/x, containerPath: /usr/lib/x, options: [ro, rslave]}
    additionalGids: [44]
`;

async function folders(files: Readonly<Record<string, string>>): Promise<{ readonly all: readonly string[] } & AsyncDisposable> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-cdi-'));
	const all = [join(dir, 'etc'), join(dir, 'run')];
	for (const folder of all) await mkdir(folder);
	for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
	return { all, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

test("a specification's own edits come once, then each device's; JSON and YAML", async (t) => {
	await using dirs = await folders({
		'etc/net.json': JSON.stringify(JSON_SPEC),
		'run/gpu.yaml': YAML_SPEC,
		'etc/notes.txt': 'no specification',
	});
	const edits = await cdiEdits(['vendor.com/net=one', 'vendor.com/net=two', 'vendor.com/gpu=0'], dirs.all);
	const body = applyCdi({ Image: 'i', Env: ['A=b', 'GPU=none'], HostConfig: { GroupAdd: ['5'] } }, edits);
	t.deepEqual(body.Env, ['A=b', 'VENDOR=1', 'GPU=0']);
	t.deepEqual(body.HostConfig.GroupAdd, ['5', '44']);
	t.deepEqual(body.HostConfig.Devices, [
		{ PathOnHost: '/dev/one', PathInContainer: '/dev/one', CgroupPermissions: 'rwm' },
		{ PathOnHost: '/dev/null', PathInContainer: '/dev/two', CgroupPermissions: 'r' },
	]);
	t.deepEqual(body.HostConfig.Mounts, [
		{ Type: 'bind', Source: '/lib/x', Target: '/usr/lib/x', ReadOnly: true, BindOptions: { Propagation: 'rslave' } },
	]);
});

test('what is made at run time stands before what was installed; two in one folder contradict each other', async (t) => {
	const other = { ...JSON_SPEC, devices: [{ name: 'one', containerEdits: { env: ['FROM=run'] } }] };
	await using over = await folders({ 'etc/net.json': JSON.stringify(JSON_SPEC), 'run/net.json': JSON.stringify(other) });
	t.deepEqual((await cdiEdits(['vendor.com/net=one'], over.all)).at(-1), { env: ['FROM=run'] });
	await using twice = await folders({ 'etc/a.json': JSON.stringify(JSON_SPEC), 'etc/b.json': JSON.stringify(other) });
	await t.throwsAsync(cdiEdits(['vendor.com/net=one'], twice.all), { code: 'FailedPrecondition', message: /more than once/ });
});

test('a device that nobody defines is not found, and a broken file is named', async (t) => {
	await using dirs = await folders({ 'etc/net.json': JSON.stringify(JSON_SPEC), 'etc/bad.yaml': 'kind: 5' });
	await t.throwsAsync(cdiEdits(['vendor.com/net=three'], dirs.all), { code: 'NotFound', message: /bad\.yaml/ });
	t.is((await cdiEdits(['vendor.com/net=one'], dirs.all)).length, 2);
});

for (const name of ['vendor.com/net', 'net=one', '../x=one', 'vendor.com/net=../one', 'vendor.com/net=', '=one'])
	test(`no name of a device: ${name}`, (t) => t.throws(() => cdiName(name), { code: 'InvalidArgument' }));

for (const [name, value] of [
	['no object', []],
	['no version', { kind: 'a.b/c', devices: [{ name: 'x', containerEdits: {} }] }],
	['no devices', { cdiVersion: '0.6.0', kind: 'a.b/c', devices: [] }],
	['a device without a name', { cdiVersion: '0.6.0', kind: 'a.b/c', devices: [{ containerEdits: {} }] }],
] as const)
	test(`no specification: ${name}`, (t) => t.throws(() => cdiSpec(value, 'f'), { code: 'InvalidArgument' }));

for (const edits of [
	{ hooks: [{ hookName: 'createContainer', path: '/bin/x' }] },
	{ intelRdt: {} },
	{ mounts: [{ hostPath: 'x', containerPath: '/x', type: 'nfs' }] },
])
	test(`half a device is refused: ${JSON.stringify(edits)}`, (t) =>
		t.throws(() => applyCdi({ Image: 'i', HostConfig: {} }, [edits]), { code: 'FailedPrecondition' }));
