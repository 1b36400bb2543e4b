/** Users of their own for pods: which ids there are, who has which over restarts, what runtimes are told, and who cannot have any. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { PodSpec } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { writeAtomic } from '../../base/files.ts';
import { createLog } from '../../base/log.ts';
import { c, playing, statusOf } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { NamespaceMode } from '../../wire/gen/cri.ts';
import { nodeFaults, nodeSettingsOf } from '../config/node-settings.ts';
import { containerConfig, sandboxConfig } from '../runtime/cri-config.ts';
import type { ContainerOptions, RuntimeHandler, SandboxOptions } from '../runtime/runtime.ts';
import { defaultSpan, formatRange, ID_UNIT, parseRange, parseSubIds, spanFault, type IdRange, type IdSpan } from './id-range.ts';
import { spanOfMachine } from './span.ts';
import { UserNamespaces } from './user-namespaces.ts';
import { userNamespaceFault } from './users-of-pod.ts';

const U = ID_UNIT;

async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'kubeling-users-'));
	t.teardown(() => rm(path, { recursive: true, force: true }));
	return path;
}

for (const [name, span, ids, pods, want] of [
	['all but the machine’s own', defaultSpan(U), U, 110, ''],
	['more for each pod', defaultSpan(2 * U), 2 * U, 110, ''],
	['a length that is no multiple', { firstId: U, length: U }, 1000, 1, `kubelet user namespace length 1000 is not a multiple of ${U}`],
	['a beginning between two pieces', { firstId: U + 1, length: U }, U, 1, `kubelet user assigned ID ${U + 1} is not a multiple of ${U}`],
	['the machine’s own', { firstId: 0, length: U }, U, 1, `kubelet user assigned ID 0 must be greater or equal to ${U}`],
	['half a piece', { firstId: U, length: U / 2 }, U, 1, `kubelet user assigned IDs length ${U / 2} is not a multiple of ${U}`],
	['too few', { firstId: U, length: 2 * U }, U, 3, 'kubelet user assigned IDs are not enough to support 3 pods'],
] as const)
	test(`spanFault(): ${name}`, (t) => t.is(spanFault(span, ids, pods), want));

for (const [text, want] of [
	['0: kubelet 65536 2147483648\n', { firstId: 65_536, length: 2_147_483_648 }],
	['', 'invalid line ""'],
	['0: kubelet 65536\n', 'invalid line "0: kubelet 65536\\n"'],
	['0: kubelet 1 2\n1: kubelet 3 4\n', 'error parsing line "0: kubelet 1 2\\n1: kubelet 3 4\\n": it must contain only one line'],
	['0: kubelet 1 4294967296', 'error parsing line "0: kubelet 1 4294967296": an id is a number below 4294967296'],
	['0: kubelet -1 5', 'error parsing line "0: kubelet -1 5": an id is a number below 4294967296'],
] as const)
	test(`parseSubIds(): ${JSON.stringify(text)}`, (t) => {
		if (typeof want === 'string') t.throws(() => parseSubIds(text), { message: want });
		else t.deepEqual(parseSubIds(text), want);
	});

const mapping = (hostId: number, containerId = 0, length = U) => ({ hostId, containerId, length });
for (const [name, text, want] of [
	['as it is written', formatRange({ hostId: U, length: U }), { hostId: U, length: U }],
	['no JSON', '{', /^invalid user namespace mappings file: /],
	['nothing', '{}', /no more than one mapping allowed/],
	['null', 'null', /no more than one mapping allowed/],
	['two', JSON.stringify({ uidMappings: [mapping(U), mapping(2 * U)], gidMappings: [mapping(U)] }), /no more than one mapping allowed/],
	['no groups', JSON.stringify({ uidMappings: [mapping(U)] }), /GID and UID mappings should be identical\./],
	[
		'other groups',
		JSON.stringify({ uidMappings: [mapping(U)], gidMappings: [mapping(2 * U)] }),
		/GID and UID mapping should be identical$/,
	],
	['no root', JSON.stringify({ uidMappings: [mapping(U, 1)], gidMappings: [mapping(U, 1)] }), /UID 0 must be mapped/],
] as const)
	test(`parseRange(): ${name}`, (t) => {
		if (want instanceof RegExp) t.throws(() => parseRange(text), { message: want });
		else t.deepEqual(parseRange(text), want);
	});

const KNOWN = '[ "$*" = "passwd kubelet" ] && echo "kubelet:x:1:1::/:/bin/sh"';
const ITS = { firstId: 131_072, length: 131_072 };
for (const [name, getent, getsubids, want, warnings] of [
	['no user of that name', 'exit 2', 'echo "0: kubelet 131072 131072"', defaultSpan(U), 0],
	['the ids of the user', KNOWN, 'echo "0: kubelet 131072 131072"', ITS, 0],
	['other groups', KNOWN, 'echo "0: kubelet ${#} 131072"', 'mismatched subuids and subgids for user "kubelet"', 0],
	['a user without ids', KNOWN, 'exit 1', /^error retrieving additional uids for user "kubelet": /, 0],
	['no tool', KNOWN, undefined, defaultSpan(U), 1],
	['a tool that may not be run', KNOWN, 'not executable', /^error retrieving additional uids for user "kubelet": .*EACCES$/, 0],
	['a server of users that is away', 'exit 1', 'echo "0: kubelet 131072 131072"', /^cannot look for the user "kubelet": /, 0],
	['no tool for users, and one in the file', undefined, 'echo "0: kubelet 131072 131072"', ITS, 0],
] as const)
	test(`spanOfMachine(): ${name}`, async (t) => {
		const dir = await folder(t);
		const tools = { getent: join(dir, 'getent'), getsubids: join(dir, 'getsubids'), passwd: join(dir, 'passwd') };
		await writeFile(tools.passwd, 'kubelet:x:1:1::/:/bin/sh\n');
		for (const [path, script] of [
			[tools.getent, getent],
			[tools.getsubids, getsubids],
		] as const) {
			if (script === undefined) continue;
			await writeFile(path, `#!/bin/sh\n${script}\n`);
			if (script !== 'not executable') await chmod(path, 0o755);
		}
		const lines: string[] = [];
		const log = createLog({ write: (line) => void lines.push(line) });
		const span = spanOfMachine(U, log, tools);
		if (typeof want === 'string' || want instanceof RegExp) await t.throwsAsync(span, { message: want });
		else t.deepEqual(await span, want as IdSpan);
		t.is(lines.length, warnings);
	});

test('a file of users that cannot be read is told', async (t) => {
	const dir = await folder(t);
	const tools = { getent: join(dir, 'none'), getsubids: join(dir, 'none'), passwd: dir };
	await t.throwsAsync(spanOfMachine(U, createLog({ write: () => {} }), tools), { message: /^cannot look for the user "kubelet": EISDIR/ });
	t.deepEqual(await spanOfMachine(U, createLog({ write: () => {} }), { ...tools, passwd: join(dir, 'none') }), defaultSpan(U));
});

const open = (rootDir: string, span: IdSpan = defaultSpan(U), idsPerPod = U): Promise<UserNamespaces> =>
	UserNamespaces.open({ rootDir, span, idsPerPod, maxPods: 2 });

test('each pod has a piece of its own, which the next life of the agent knows, and which is free again after it', async (t) => {
	const rootDir = await folder(t);
	const first = await open(rootDir);
	const [a, again, b] = await Promise.all(['a', 'a', 'b'].map((uid) => first.give(uid)));
	t.deepEqual([a, again, b], [mine(1), mine(1), mine(2)]);
	t.is(await readFile(join(rootDir, 'pods/a/userns'), 'utf8'), formatRange(mine(1)));
	const next = await open(rootDir);
	t.deepEqual(await next.give('c'), mine(3));
	t.deepEqual(await next.give('b'), mine(2));
	next.release('a');
	next.release('a');
	t.deepEqual(await next.give('d'), mine(1));
});

test('there are no more than there are, and what could not be written is tried again', async (t) => {
	const rootDir = await folder(t);
	const users = await open(rootDir, { firstId: U, length: 2 * U });
	await writeFile(join(rootDir, 'pods'), ''); // no folder can be made in it
	const both = await Promise.allSettled([users.give('a'), users.give('a')]);
	for (const one of both) t.regex(one.status === 'rejected' ? messageOf(one.reason) : '', /^create user namespace: /);
	await rm(join(rootDir, 'pods'));
	await Promise.all([users.give('a'), users.give('b')]);
	await t.throwsAsync(users.give('c'), { message: 'create user namespace: could not find an empty slot to allocate a user namespace' });
});

test('a write that failed may have left its file: nobody else is given those ids, and the next life of the agent starts', async (t) => {
	const rootDir = await folder(t);
	let failing = true;
	const write = async (path: string, text: string): Promise<void> => {
		await writeAtomic(path, text);
		if (failing) throw new Error('no sync of the folder');
	};
	const options = { rootDir, span: defaultSpan(U), idsPerPod: U, maxPods: 2 };
	const users = await UserNamespaces.open({ ...options, write });
	await t.throwsAsync(users.give('a'), { message: 'create user namespace: no sync of the folder' });
	failing = false;
	t.deepEqual(await users.give('b'), mine(2));
	const next = await UserNamespaces.open(options);
	t.deepEqual(await Promise.all(['a', 'b'].map((uid) => next.give(uid))), [mine(1), mine(2)]);
	t.deepEqual(await users.give('a'), mine(1));
	users.release('a');
	t.deepEqual(await users.give('c'), mine(1));
});

for (const [name, ranges, why] of [
	['of another length', { a: { hostId: 2 * U, length: 2 * U } }, /existing pod "a": wrong user namespace length 131072$/],
	['between two pieces', { a: { hostId: U + 1, length: U } }, /wrong user namespace offset specified 65537$/],
	['beyond the span', { a: { hostId: 9 * U, length: U } }, /id 589824 is out of range$/],
	['that another has', { a: mine(1), b: mine(1) }, /existing pod "b": range picked for pod "b" already taken$/],
] as const)
	test(`an agent does not start with a piece ${name}`, async (t) => {
		const rootDir = await folder(t);
		for (const [uid, range] of Object.entries(ranges)) {
			await mkdir(join(rootDir, 'pods', uid), { recursive: true });
			await writeFile(join(rootDir, 'pods', uid, 'userns'), formatRange(range));
		}
		await t.throwsAsync(open(rootDir, { firstId: U, length: 4 * U }), { message: why });
	});

const handlers: readonly RuntimeHandler[] = [
	{ name: '', recursiveReadOnlyMounts: false, userNamespaces: true },
	{ name: 'old', recursiveReadOnlyMounts: false, userNamespaces: false },
];
for (const [handler, all, want] of [
	['', handlers, ''],
	['', [], "can't set `spec.hostUsers: false`, runtime does not support user namespaces"],
	['old', handlers, 'can\'t set `spec.hostUsers: false`, RuntimeClass handler "old" does not support user namespaces'],
	[
		'x',
		handlers,
		'can\'t set `spec.hostUsers: false`, RuntimeClass handler "x" does not support user namespaces: the handler "x" is not known',
	],
] as const)
	test(`userNamespaceFault(): "${handler}" of ${all.length}`, (t) => t.is(userNamespaceFault(handler, all), want));

function mine(piece: number): IdRange {
	return { hostId: piece * U, length: U };
}

const SANDBOX: SandboxOptions = {
	...{ attempt: 0, logDirectory: '/l', hostname: 'h', cgroupParent: '', runtimeHandler: '' },
	dns: { servers: [], searches: [], options: [] },
};
for (const [name, users, mode, ids] of [
	['the machine’s', undefined, NamespaceMode.NODE, []],
	['its own', mine(2), NamespaceMode.POD, [mapping(2 * U)]],
] as const)
	test(`what a runtime is told of the users of a pod: ${name}`, (t) => {
		const pod = { metadata: { name: 'p' }, spec: { containers: [c()] } };
		const sandbox = { ...SANDBOX, users };
		const options: ContainerOptions = {
			...{ attempt: 0, imageId: 'i', env: [], command: [], args: [], logPath: 'l', sandbox, targetId: '', annotations: {} },
			mounts: [{ containerPath: '/v', hostPath: '/h', readOnly: false }],
			rules: { cpuQuota: true, cpuPeriodUs: 100_000, oomGroup: false },
		};
		const config = containerConfig(pod, { kind: 'app', spec: c(), target: '' }, options, 2 ** 30, '');
		const wanted = { mode, uids: [...ids], gids: [...ids] };
		t.deepEqual(sandboxConfig(pod, sandbox).linux?.securityContext?.namespaceOptions?.usernsOptions, wanted);
		t.deepEqual(config.linux?.securityContext?.namespaceOptions?.usernsOptions, wanted);
		t.deepEqual(
			config.mounts.map(({ uidMappings, gidMappings }) => [uidMappings, gidMappings]),
			[[[...ids], [...ids]]],
		);
	});

test('idsPerPod of a KubeletConfiguration', (t) => {
	const of = (idsPerPod: number) => ({ userNamespaces: { idsPerPod } });
	t.is(nodeSettingsOf({}).idsPerPod, U);
	t.is(nodeSettingsOf(of(2 * U)).idsPerPod, 2 * U);
	t.deepEqual(nodeFaults(of(U)), []);
	t.regex(nodeFaults(of(1)).join(), /must not be less than 65536/);
	t.regex(nodeFaults(of(U + 1)).join(), /must be a multiple of 65536/);
	t.regex(nodeFaults(of(2 ** 32)).join(), /must not be more than 4294967295/);
});

const OWN: Partial<PodSpec> = { hostUsers: false };
const told = (node: SimulatedNode): (IdRange | undefined)[] => {
	const ranges: (IdRange | undefined)[] = [];
	const run = node.runtime.runSandbox.bind(node.runtime);
	Object.assign(node.context, { runtimeHandlers: () => handlers });
	node.runtime.runSandbox = (pod, options, signal) => {
		ranges.push(options.users);
		return run(pod, options, signal);
	};
	return ranges;
};

test('pods with users of their own: alike for each sandbox and life of the agent, and free for others after them', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const ranges = told(node);
	await node.create('shares');
	await node.create('a', OWN);
	await node.create('b', OWN);
	t.deepEqual(ranges, [undefined, mine(1), mine(2)]);
	const figures = await node.context.figures.registry.metrics();
	t.regex(figures, /^kubelet_started_user_namespaced_pods_total 2$/m);
	t.regex(figures, /^kubelet_started_user_namespaced_pods_errors_total 0$/m);
	const breakSandbox = async (): Promise<void> => {
		const found = await node.runtime.pod(node.pod('a')?.metadata.uid ?? '');
		await node.runtime.stopSandbox(found?.sandboxes[0]?.id ?? '');
		await node.advance(30_000);
	};
	await breakSandbox();
	t.deepEqual(ranges.slice(3), [mine(1)]);
	await node.stopAgent();
	await node.startAgent();
	await node.create('c', OWN);
	t.deepEqual(ranges.slice(4), [mine(3)]);
	await breakSandbox();
	t.deepEqual(ranges.slice(5), [mine(1)]);
	await node.delete('a', 1);
	await node.advance(10_000);
	t.is(node.pod('a'), undefined);
	await node.create('d', OWN);
	t.deepEqual(ranges.slice(6), [mine(1)]);
});

test('a container that starts anew in a sandbox that stands fails of no sandbox', async (t) => {
	const { node } = await playing({ script: () => ({ runMs: 1000, exitCode: 1 }) });
	await using _ = node;
	told(node);
	await node.create('a', OWN);
	Object.assign(node.context, { runtimeHandlers: () => [] });
	await node.advance(60_000);
	t.is(statusOf(node.pod('a'))?.restartCount, 0);
	t.deepEqual(
		node.events('a').filter((e) => e.startsWith('FailedCreatePodSandBox')),
		[],
	);
});

test('claims are prepared before a pod is given users', async (t) => {
	const { node } = await playing();
	await using _ = node;
	told(node);
	Object.assign(node.context, { runtimeHandlers: () => [] });
	const resourceClaims = [{ name: 'r', resourceClaimName: 'none' }];
	await node.create('a', { ...OWN, resourceClaims });
	const failed = node.events('a').filter((e) => e.startsWith('Failed'));
	t.regex(failed.join(), /^FailedPrepareDynamicResources: /);
	t.false(failed.some((e) => e.startsWith('FailedCreatePodSandBox')));
});

test('a runtime that cannot give a pod users of its own makes no sandbox', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const ranges = told(node);
	Object.assign(node.context, { runtimeHandlers: () => [] });
	await node.create('a', OWN);
	t.deepEqual(ranges, []);
	const figures = await node.context.figures.registry.metrics();
	t.regex(figures, /^kubelet_started_user_namespaced_pods_total [1-9]/m);
	t.regex(figures, /^kubelet_started_user_namespaced_pods_errors_total [1-9]/m);
	t.true(
		node
			.events('a')
			.includes(
				"FailedCreatePodSandBox: Failed to create pod sandbox: can't set `spec.hostUsers: false`, runtime does not support user namespaces",
			),
	);
});
