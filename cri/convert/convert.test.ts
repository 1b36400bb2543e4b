/** From CRI's configurations to the engine's, as tables: users and groups, resources. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import {
	LinuxContainerResources,
	LinuxContainerSecurityContext,
	Mount,
	NamespaceMode,
	PodSandboxConfig,
	SecurityProfile_ProfileType,
	SupplementalGroupsPolicy,
} from '../proto.ts';
import { mergeResources } from './resources.ts';
import { sandboxStatus } from './sandbox-status.ts';
import { appArmorProfile } from './security.ts';
import { checkAppArmorLoaded } from '../app-armor.ts';
import { engineMount } from './mounts.ts';
import { planUser } from './user.ts';

const context = (more: Partial<LinuxContainerSecurityContext>): LinuxContainerSecurityContext => ({
	...LinuxContainerSecurityContext.decode(Buffer.alloc(0)),
	...more,
});

const FILES = {
	passwd: 'root:x:0:0:root:/root:/bin/sh\n# comment\nwww-data:x:33:34:www:/var/www:/bin/sh\nalice:x:1000:1000::/home:/bin/sh\n',
	group: 'root:x:0:\nwww-data:x:33:alice\nmade-in-image:x:50000:bob,alice\n',
};
const Strict = SupplementalGroupsPolicy.Strict;
const alice = { runAsUser: { value: 1000n } };
const group = { runAsGroup: { value: 7n } };

for (const [name, given, imageUser, user, groupAdd, identity] of [
	['nobody named: root', {}, '', '', [], [0, 0, [0]]],
	["the image's user by name and group", {}, 'www-data:made-in-image', '', [], [33, 50000, [50000]]],
	['a number that the files do not know', { runAsUser: { value: 5n } }, '', '5', [], [5, 0, [0]]],
	['user and group', { runAsUser: { value: 5n }, runAsGroup: { value: 6n } }, '', '5:6', [], [5, 6, [6]]],
	['name and group', { runAsUsername: 'www-data', ...group }, '', 'www-data:7', [], [33, 7, [7]]],
	[
		'Merge: the engine adds what the image says',
		{ ...alice, supplementalGroups: [1234n] },
		'',
		'1000',
		['1234'],
		[1000, 1000, [33, 1000, 1234, 50000]],
	],
	[
		'Merge with a group: they are added by number',
		{ ...alice, ...group, supplementalGroups: [1234n] },
		'',
		'1000:7',
		['1234', '33', '50000'],
		[1000, 7, [7, 33, 1234, 50000]],
	],
	[
		'Strict: the primary group is named, so that the engine adds none',
		{ ...alice, supplementalGroups: [1234n], supplementalGroupsPolicy: Strict },
		'',
		'1000:1000',
		['1234'],
		[1000, 1000, [1000, 1234]],
	],
	["Strict with the image's own user", { supplementalGroupsPolicy: Strict }, 'alice', '1000:1000', [], [1000, 1000, [1000]]],
	['an unknown name is left to the engine', { runAsUsername: 'carol', supplementalGroups: [9n] }, '', 'carol', ['9'], undefined],
] as const)
	test(`user: ${name}`, (t) => {
		const { uid, gid, groups } = { uid: identity?.[0], gid: identity?.[1], groups: identity?.[2] };
		const want = { user, groupAdd, identity: identity === undefined ? undefined : { uid, gid, groups } };
		t.deepEqual(planUser(context(given as Partial<LinuxContainerSecurityContext>), imageUser, FILES) as unknown, want);
	});

test('user: a group alone is refused, and an unknown name under policy Strict', (t) => {
	t.throws(() => planUser(context(group), '', FILES), { code: 'InvalidArgument' });
	t.throws(() => planUser(context({ runAsUsername: 'carol', supplementalGroupsPolicy: Strict }), '', FILES), { code: 'InvalidArgument' });
});

const resources = (more: Partial<LinuxContainerResources>): LinuxContainerResources => ({
	...LinuxContainerResources.decode(Buffer.alloc(0)),
	...more,
});

test('resources: zero and empty leave what was; sizes of huge pages and unified keys each for itself', (t) => {
	const before = resources({
		cpuShares: 100n,
		cpusetCpus: '0',
		hugepageLimits: [
			{ pageSize: '2MB', limit: 1n },
			{ pageSize: '1GB', limit: 2n },
		],
		unified: { 'memory.high': '1', 'memory.low': '2' },
	});
	const update = resources({ memoryLimitInBytes: 5n, hugepageLimits: [{ pageSize: '2MB', limit: 9n }], unified: { 'memory.high': '7' } });
	t.deepEqual(mergeResources(before, update), {
		...before,
		memoryLimitInBytes: 5n,
		hugepageLimits: [
			{ pageSize: '1GB', limit: 2n },
			{ pageSize: '2MB', limit: 9n },
		],
		unified: { 'memory.high': '7', 'memory.low': '2' },
	});
	t.deepEqual(mergeResources(undefined, update), update);
});

const { Localhost, RuntimeDefault, Unconfined } = SecurityProfile_ProfileType;
for (const [name, given, want] of [
	['none asked for', {}, undefined],
	['by the old field', { apparmorProfile: 'localhost/mine' }, 'mine'],
	["by the old field, the engine's own", { apparmorProfile: 'runtime/default' }, undefined],
	['by the old field, none', { apparmorProfile: 'unconfined' }, 'unconfined'],
	[
		'the new field stands before the old',
		{ apparmorProfile: 'localhost/old', apparmor: { profileType: Localhost, localhostRef: 'mine' } },
		'mine',
	],
	['the new field may lead with localhost/', { apparmor: { profileType: Localhost, localhostRef: 'localhost/mine' } }, 'mine'],
	["the engine's own", { apparmor: { profileType: RuntimeDefault, localhostRef: '' } }, undefined],
	['unconfined', { apparmor: { profileType: Unconfined, localhostRef: '' } }, 'unconfined'],
	['privileged', { privileged: true, apparmorProfile: 'localhost/mine' }, undefined],
] as const)
	test(`AppArmor: ${name}`, (t) => t.is(appArmorProfile(context(given as Partial<LinuxContainerSecurityContext>)), want));

test('AppArmor: a profile that the kernel has not loaded is refused', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-apparmor-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const file = join(dir, 'profiles');
	await writeFile(file, 'docker-default (enforce)\nmine (complain)\n/usr/bin/with (brackets) (enforce)\n');
	for (const profile of ['mine', '/usr/bin/with (brackets)', 'unconfined', undefined])
		await t.notThrowsAsync(checkAppArmorLoaded(profile, file));
	await t.throwsAsync(checkAppArmorLoaded('min', file), { code: 'InvalidArgument' });
	await t.notThrowsAsync(checkAppArmorLoaded('min', join(dir, 'nowhere')));
});

const mount = (more: Partial<Mount>): Mount => ({ ...Mount.decode(Buffer.alloc(0)), containerPath: '/c', hostPath: '/h', ...more });
const NOTHING = { recursiveReadOnly: false, selinux: false };
for (const [name, given, host, want] of [
	['plain: the engine may choose where a mount must not be private', {}, NOTHING, { mount: { Type: 'bind', Source: '/h', Target: '/c' } }],
	[
		'propagated and read-only',
		{ propagation: 1, readonly: true },
		NOTHING,
		{ mount: { Type: 'bind', Source: '/h', Target: '/c', ReadOnly: true, BindOptions: { Propagation: 'rslave' } } },
	],
	[
		'read-only alone does not reach mounts below, also where the engine could',
		{ readonly: true },
		{ ...NOTHING, recursiveReadOnly: true },
		{
			mount: {
				Type: 'bind',
				Source: '/h',
				Target: '/c',
				ReadOnly: true,
				BindOptions: { ReadOnlyNonRecursive: true },
			},
		},
	],
	[
		'recursively read-only',
		{ readonly: true, recursiveReadOnly: true },
		{ ...NOTHING, recursiveReadOnly: true },
		{
			mount: {
				Type: 'bind',
				Source: '/h',
				Target: '/c',
				ReadOnly: true,
				BindOptions: { Propagation: 'rprivate', ReadOnlyForceRecursive: true },
			},
		},
	],
	[
		'relabelled where there is SELinux',
		{ selinuxRelabel: true, propagation: 2 },
		{ ...NOTHING, selinux: true },
		{ bind: '/h:/c:rw,Z,rshared' },
	],
	['relabelled and private', { selinuxRelabel: true, readonly: true }, { ...NOTHING, selinux: true }, { bind: '/h:/c:ro,Z' }],
	['relabelled where there is none', { selinuxRelabel: true }, NOTHING, { mount: { Type: 'bind', Source: '/h', Target: '/c' } }],
] as const)
	test(`mount: ${name}`, (t) => t.deepEqual(engineMount(mount(given), '/h', host) as unknown, want));

for (const [name, given, host] of [
	['recursive without read-only', { recursiveReadOnly: true }, { ...NOTHING, recursiveReadOnly: true }],
	['recursive and propagated', { readonly: true, recursiveReadOnly: true, propagation: 1 }, { ...NOTHING, recursiveReadOnly: true }],
	['recursive on an engine that cannot', { readonly: true, recursiveReadOnly: true }, NOTHING],
] as const)
	test(`mount refused: ${name}`, (t) => t.throws(() => engineMount(mount(given), '/h', host), { code: 'InvalidArgument' }));

test('the status of a sandbox for which no namespaces were asked tells those that it has', (t) => {
	const config = PodSandboxConfig.decode(Buffer.alloc(0));
	const metadata = { name: 'p', namespace: 'n', uid: 'u', attempt: 0 };
	const record = { name: 'p', id: 'i', config, metadata, runtimeHandler: '', createdAtMs: 0, address: undefined };
	t.deepEqual(sandboxStatus({ record, live: { state: 'unknown' }, inspect: undefined }).linux?.namespaces?.options, {
		...{ network: NamespaceMode.POD, pid: NamespaceMode.POD, ipc: NamespaceMode.POD },
		...{ targetId: '', usernsOptions: undefined },
	});
});
