/** The parts of the shim that need no engine, as tables. */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import test from 'ava';
import { createMetrics } from '../base/metrics.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { sourceHash } from '../host/native/static-program.ts';
import { containerCreateBody } from './convert/container-create.ts';
import { containerState, containerStatus } from './convert/container-status.ts';
import { containerName, namePrefix, sandboxName } from './convert/names.ts';
import { hostResources } from './convert/resources.ts';
import { cgroupParentOf, sandboxCreateBody } from './convert/sandbox-create.ts';
import { hostSecurity } from './convert/security.ts';
import { criSignal, engineSignal } from './convert/signals.ts';
import { planUser } from './convert/user.ts';
import { Demultiplexer } from './engine/demux.ts';
import type { ContainerInspect } from './engine/types.ts';
import { negotiate } from './engine/version.ts';
import type { HostAbilities } from './host-abilities.ts';
import { parseReference } from './images/reference.ts';
import { KEEPING_RUNTIME_SERVICE, keptItem } from './kept-items.ts';
import { tar } from './images/tar.ts';
import { Observe } from './observe.ts';
import { PAUSE } from './pause/build.ts';
import { PAUSE_BASE64, PAUSE_SOURCE_SHA256 } from './pause/gen/pause.ts';
import {
	ContainerConfig,
	LinuxContainerResources,
	LinuxContainerSecurityContext,
	ListContainersResponse,
	NamespaceMode,
	PodSandboxConfig,
	Signal,
} from './proto.ts';
import type { ContainerRecord } from './state/records.ts';
import { liveOf, nanosOf } from './state/live.ts';
import { parseNetDev } from './stats/network-usage.ts';
import { Tokens } from './streaming/tokens.ts';

const HOST: HostAbilities = {
	capabilities: ['CHOWN', 'KILL', 'NET_RAW'],
	missingCapabilities: [],
	lowestOomScoreAdj: -1000,
	cgroupDriver: 'cgroupfs',
	cgroupVersion: 1,
	appArmor: false,
	selinux: false,
	annotations: false,
	recursiveReadOnly: false,
	imageMounts: false,
	cdi: false,
	experimental: false,
	runtimes: ['runc'],
	rootless: false,
	engineRoot: '/var/lib/docker',
	storageDriver: 'overlay2',
};
const LIMITED: HostAbilities = { ...HOST, missingCapabilities: ['SYS_RESOURCE'], lowestOomScoreAdj: 0 };
const empty = Buffer.alloc(0);
const context = (more: Partial<LinuxContainerSecurityContext>): LinuxContainerSecurityContext => ({
	...LinuxContainerSecurityContext.decode(empty),
	...more,
});
const noProfile = (): string => '{}';

test('the committed pause binaries are of the committed source', (t) => {
	t.is(sourceHash(PAUSE), PAUSE_SOURCE_SHA256);
	for (const [arch, machine] of [
		['x64', 62],
		['arm64', 183],
	] as const) {
		const elf = Buffer.from(PAUSE_BASE64[arch], 'base64');
		t.is(elf.readUInt16LE(18), machine, `${arch}: ELF machine`);
		t.true(elf.length < 16384);
	}
});

for (const [name, newest, oldest, want] of [
	['an old engine', '1.41', '1.12', '1.41'],
	['a newer engine than this program', '1.99', '1.24', '1.51'],
	['one between', '1.47', '1.24', '1.47'],
] as const)
	test(`API version: ${name}`, (t) => t.is(negotiate(newest, oldest), want));
test('API version: too old, or too new', (t) => {
	t.throws(() => negotiate('1.40', '1.12'), { code: 'FailedPrecondition' });
	t.throws(() => negotiate('1.99', '1.60'), { code: 'FailedPrecondition' });
});

test('names: cluster and instance first, characters that the engine refuses replaced', (t) => {
	const prefix = namePrefix('default', 'ab12');
	const pod = { name: 'web', namespace: 'ns', uid: 'u/1', attempt: 2 };
	t.is(sandboxName(prefix, pod), 'kubeling_default-ab12_POD_web_ns_u-1_2');
	t.is(containerName(prefix, pod, { name: 'c', attempt: 3 }), 'kubeling_default-ab12_c_web_ns_u-1_3');
});

const resources = (more: Partial<LinuxContainerResources>): LinuxContainerResources => ({
	...LinuxContainerResources.decode(empty),
	...more,
});
for (const [name, given, host, want] of [
	['nothing set', {}, HOST, {}],
	['memory without swap limit: no swap', { memoryLimitInBytes: 1024n }, HOST, { Memory: 1024, MemorySwap: 1024 }],
	['memory and swap', { memoryLimitInBytes: 1024n, memorySwapLimitInBytes: 4096n }, HOST, { Memory: 1024, MemorySwap: 4096 }],
	['processor', { cpuShares: 2n, cpuQuota: -1n, cpuPeriod: 100n }, HOST, { CpuShares: 2, CpuQuota: -1, CpuPeriod: 100 }],
	['score where it may be lowered', { oomScoreAdj: -997n }, HOST, { OomScoreAdj: -997 }],
	['score where it may not', { oomScoreAdj: -997n }, LIMITED, { OomScoreAdj: 0 }],
	['a raised score', { oomScoreAdj: 1000n }, LIMITED, { OomScoreAdj: 1000 }],
] as const)
	test(`resources: ${name}`, (t) => t.deepEqual(hostResources(resources(given), host), want));

test("privileged: the engine's own where it works, all parts by name where it would fail", (t) => {
	t.is(hostSecurity(context({ privileged: true }), HOST, noProfile).Privileged, true);
	const limited = hostSecurity(context({ privileged: true }), LIMITED, noProfile);
	t.is(limited.Privileged, undefined);
	t.deepEqual(limited.CapAdd, HOST.capabilities);
	t.deepEqual(limited.MaskedPaths, []);
});
test('capabilities: ALL is all that the engine has; CAP_ may lead', (t) => {
	const all = context({ capabilities: { addCapabilities: ['ALL'], dropCapabilities: ['CAP_NET_RAW'], addAmbientCapabilities: [] } });
	t.deepEqual(hostSecurity(all, HOST, noProfile).CapAdd, ['ALL']);
	t.deepEqual(hostSecurity(all, LIMITED, noProfile).CapAdd, ['CHOWN', 'KILL']);
	t.deepEqual(hostSecurity(all, LIMITED, noProfile).CapDrop, ['NET_RAW']);
});

const config = (more: Partial<PodSandboxConfig>): PodSandboxConfig => ({
	...PodSandboxConfig.decode(empty),
	metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 0 },
	...more,
});
const namespaces = (network: NamespaceMode): PodSandboxConfig['linux'] => ({
	cgroupParent: '',
	sysctls: {},
	overhead: undefined,
	resources: undefined,
	securityContext: {
		namespaceOptions: { network, pid: NamespaceMode.CONTAINER, ipc: NamespaceMode.POD, targetId: '', usernsOptions: undefined },
		selinuxOptions: undefined,
		runAsUser: undefined,
		runAsGroup: undefined,
		readonlyRootfs: false,
		supplementalGroups: [],
		supplementalGroupsPolicy: 0,
		privileged: false,
		seccomp: undefined,
		apparmor: undefined,
		seccompProfilePath: '',
	},
});
test("container: its sandbox's shim of the runtime runs it, where the engine can say so", (t) => {
	const placement = {
		sandboxId: 's',
		sandbox: config({}),
		imageId: 'i',
		user: planUser(undefined, '', { passwd: '', group: '' }),
		instance: 'i',
		cgroupParent: '',
		runtime: undefined,
		mounts: [],
		binds: [],
		cdi: [],
		targetId: undefined,
	};
	const annotations = (host: HostAbilities) =>
		containerCreateBody(ContainerConfig.decode(empty), placement, host, noProfile).HostConfig.Annotations;
	t.deepEqual(annotations({ ...HOST, annotations: true }), { 'io.containerd.runc.v2.group': 's' });
	t.is(annotations(HOST), undefined);
});
test("sandbox: no engine network, or the host's with its host name", (t) => {
	const placement = {
		image: 'pause',
		instance: 'i',
		cgroupParent: '/kubepods',
		runtime: undefined,
		engineNetwork: false,
	};
	const own = sandboxCreateBody(config({ hostname: 'p' }), placement, HOST, noProfile);
	t.is(own.NetworkDisabled, true);
	t.is(own.Hostname, 'p');
	t.is(own.HostConfig.OomScoreAdj, -998);
	const host = sandboxCreateBody(config({ hostname: 'p', linux: namespaces(NamespaceMode.NODE) }), placement, HOST, noProfile);
	t.deepEqual(
		[host.NetworkDisabled, host.Hostname, host.HostConfig.NetworkMode, host.HostConfig.UTSMode],
		[undefined, undefined, 'host', 'host'],
	);
});
test("cgroup parent: a path for cgroupfs, the slice's name for systemd", (t) => {
	const given = config({
		linux: {
			cgroupParent: '/kubepods.slice/kubepods-pod1.slice',
			sysctls: {},
			overhead: undefined,
			resources: undefined,
			securityContext: undefined,
		},
	});
	t.is(cgroupParentOf(given, '', 'systemd'), 'kubepods-pod1.slice');
	t.is(cgroupParentOf(given, '', 'cgroupfs'), '/kubepods.slice/kubepods-pod1.slice');
	t.is(cgroupParentOf(config({}), '/default', 'cgroupfs'), '/default');
});

for (const [number, name] of [
	[Signal.SIGTERM, 'SIGTERM'],
	[Signal.SIGRTMINPLUS3, 'SIGRTMIN+3'],
	[Signal.RUNTIME_DEFAULT, undefined],
] as const)
	test(`stop signal ${name}`, (t) => {
		t.is(engineSignal(number), name);
		t.is(criSignal(name ?? 'none'), number);
	});

const inspect = (state: Partial<ContainerInspect['State']>): Pick<ContainerInspect, 'State'> => ({
	State: {
		Status: 'exited',
		Running: false,
		OOMKilled: false,
		Pid: 0,
		ExitCode: 0,
		Error: '',
		StartedAt: '2026-01-01T00:00:00.5Z',
		FinishedAt: '2026-01-01T00:00:01Z',
		...state,
	},
});
for (const [name, state, want] of [
	['created', { Status: 'created' }, 0],
	['a start that failed is an exit', { Status: 'created', Error: 'no such file', ExitCode: 127 }, 2],
	['running', { Status: 'running', Pid: 7 }, 1],
	['paused runs', { Status: 'paused', Pid: 7 }, 1],
	['exited', { Status: 'exited', ExitCode: 3 }, 2],
	['dead', { Status: 'dead' }, 2],
] as const)
	test(`state: ${name}`, (t) => t.is(containerState(liveOf(inspect(state))), want));
test('a container that could not start ended when it was created, so that kubelets back off', (t) => {
	const live = liveOf(
		inspect({
			Status: 'created',
			Error: 'no such file',
			ExitCode: 127,
			StartedAt: '0001-01-01T00:00:00Z',
			FinishedAt: '0001-01-01T00:00:00Z',
		}),
	);
	const record = {
		id: 'c',
		sandboxId: 's',
		createdAtMs: 1_700_000_000_000,
		imageRef: '',
		imageId: '',
		logPath: '',
		config: { linux: undefined },
	};
	t.like(containerStatus({ record, live, inspect: undefined } as never), {
		state: 2,
		startedAt: 0n,
		finishedAt: 1_700_000_000_000_000_000n,
		exitCode: 127,
		reason: 'StartError',
	});
});
test('times keep nanoseconds; the zero time is 0', (t) => {
	t.is(nanosOf('2026-01-01T00:00:00.123456789Z'), 1767225600123456789n);
	t.is(nanosOf('2026-01-01T01:00:00.5+01:00'), 1767225600500000000n);
	t.is(nanosOf('0001-01-01T00:00:00Z'), 0n);
});

test('demultiplexer: frames cut anywhere', (t) => {
	const frame = (stream: number, text: string): Buffer => {
		const header = Buffer.alloc(8);
		header[0] = stream;
		header.writeUInt32BE(text.length, 4);
		return Buffer.concat([header, Buffer.from(text)]);
	};
	const all = Buffer.concat([frame(1, 'hello '), frame(2, 'oops'), frame(1, ''), frame(1, 'world')]);
	for (const size of [1, 3, 8, 11, all.length]) {
		const out = { stdout: '', stderr: '' };
		const demultiplexer = new Demultiplexer((stream, data) => (out[stream] += data.toString()));
		for (let at = 0; at < all.length; at += size) demultiplexer.write(all.subarray(at, at + size));
		t.deepEqual(out, { stdout: 'hello world', stderr: 'oops' }, `chunks of ${size}`);
	}
});

for (const [image, want] of [
	['busybox', ['busybox', 'latest', false]],
	['busybox:1.36', ['busybox', '1.36', false]],
	['localhost:5000/a/b', ['localhost:5000/a/b', 'latest', false]],
	['localhost:5000/a/b:v1', ['localhost:5000/a/b', 'v1', false]],
	['a/b:v1@sha256:00', ['a/b', 'sha256:00', true]],
] as const)
	test(`image reference ${image}`, (t) => t.deepEqual(Object.values(parseReference(image)), [...want]));

test('tar: header checksum and padding', (t) => {
	const archive = tar([{ name: 'pause', mode: 0o755, data: Buffer.from('x') }]);
	t.is(archive.length, 512 + 512 + 1024);
	const header = Buffer.from(archive.subarray(0, 512));
	const stored = Number.parseInt(header.toString('latin1', 148, 154), 8);
	header.fill(' ', 148, 156);
	t.is(
		header.reduce((a, b) => a + b, 0),
		stored,
	);
});

test('interface counters', (t) => {
	const text = readFileSync('/proc/net/dev', 'utf8');
	t.true(parseNetDev(text).some((i) => i.name === 'lo'));
	t.deepEqual(
		parseNetDev('  eth0: 10 2 1 0 0 0 0 0 20 3 4 0 0 0 0 0').map((i) => [
			i.name,
			i.rxBytes?.value,
			i.rxErrors?.value,
			i.txBytes?.value,
			i.txErrors?.value,
		]),
		[['eth0', 10n, 1n, 20n, 4n]],
	);
});

test('streaming tokens: good once, for a minute', async (t) => {
	const clock = new VirtualClock();
	const tokens = new Tokens<string>(clock);
	const a = tokens.issue('a');
	const b = tokens.issue('b');
	t.is(tokens.redeem(a), 'a');
	t.is(tokens.redeem(a), undefined);
	await clock.advance(60_001);
	t.is(tokens.redeem(b), undefined);
	t.is(tokens.redeem('guess'), undefined);
});

test('health is served on after a request line that asks for nothing', async (t) => {
	const state = { sandboxRecords: () => [], containerRecords: () => [] } as never;
	const observe = new Observe({ clock: new VirtualClock(), state }, async () => [], createMetrics());
	const port = await observe.start({ host: '127.0.0.1', port: 0 });
	t.teardown(() => observe.stop());
	const statusOf = (path: string): Promise<number | undefined> =>
		new Promise((resolve, reject) => {
			get({ host: '127.0.0.1', port, path, agent: false }, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
		});
	for (const [path, want] of [
		['//', 404],
		['http://[', 400],
		['/healthz', 200],
	] as const)
		t.is(await statusOf(path), want, path);
});

test('a list of containers is encoded from what is kept, and anew where one has changed', (t) => {
	const record = (id: string): ContainerRecord => ({
		name: `c-${id}`,
		id,
		sandboxId: 's',
		config: { ...ContainerConfig.decode(empty), metadata: { name: 'main', attempt: 1 }, labels: { a: 'b' } },
		imageId: 'i',
		imageRef: 'r',
		logPath: '',
		createdAtMs: 7,
	});
	const [one, other] = [record('one'), record('other')];
	const running = liveOf(inspect({ Status: 'running' }));
	const exited = liveOf(inspect({ Status: 'exited' }));
	const { responseSerialize } = KEEPING_RUNTIME_SERVICE.listContainers;
	const before = [one, other].map((r) => keptItem({ record: r, live: running, inspect: undefined }));
	const after = [
		keptItem({ record: one, live: exited, inspect: undefined }),
		keptItem({ record: other, live: running, inspect: undefined }),
	];
	t.deepEqual(
		after.map((item, i) => item === before[i]),
		[false, true],
	);
	for (const containers of [[], before, before, after])
		t.deepEqual(Uint8Array.from(responseSerialize({ containers })), ListContainersResponse.encode({ containers }).finish());
});
