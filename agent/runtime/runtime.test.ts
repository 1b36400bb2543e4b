import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { runtimeSuite } from '../../test/suites/runtime-suite.ts';
import { Container, ContainerStatus, Mount as CriMount, SecurityProfile_ProfileType } from '../../wire/gen/cri.ts';
import { isRecursive, recursionFault } from '../container/recursive-read-only.ts';
import { withSeccomp } from '../container/seccomp.ts';
import { connectCri } from './cri.ts';
import { containerConfig, imageSpec, sandboxConfig } from './cri-config.ts';
import { toContainer } from './cri-convert.ts';
import { linuxResources, oomScoreAdj } from './cri-resources.ts';
import { containerSecurity, sandboxSecurity } from './cri-security.ts';
import { fromCriSignal, toCriSignal } from './cri-signal.ts';
import { maskedPathsOf } from './masked-paths.ts';
import type { ContainerOptions, SandboxOptions } from './runtime.ts';
import { SimulatedRuntime } from './simulated.ts';

runtimeSuite(test, 'simulated', async () => ({
	runtime: new SimulatedRuntime({ clock: new VirtualClock(), images: ['i'] }),
	pod: { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
	imageId: 'i',
	logDirectory: '/nowhere',
	dispose: async () => {},
}));

for (const [name, qosClass, request, want] of [
	['Guaranteed', 'Guaranteed', '1Gi', -997],
	['BestEffort', 'BestEffort', '0', 1000],
	['Burstable in proportion to its request', 'Burstable', '1Gi', 750],
	['Burstable that asks for nothing is still better than BestEffort', 'Burstable', '0', 999],
	['Burstable that asks for everything is still worse than Guaranteed', 'Burstable', '4Gi', 3],
] as const)
	test(`oomScoreAdj(): ${name}`, (t) => {
		const spec = { name: 'c', resources: { requests: { memory: request } } };
		t.is(
			oomScoreAdj({ metadata: {}, spec: { containers: [spec] }, status: { qosClass } }, { kind: 'app', spec, target: '' }, 4 * 2 ** 30),
			want,
		);
	});

for (const [name, resources, priority, rules, want] of [
	['not counted here', { limits: { memory: '1Gi' } }, 0, undefined, [0n, {}]],
	['version 1: none above the limit', { limits: { memory: '1Gi' } }, 0, { behavior: 'LimitedSwap', version: 1 }, [2n ** 30n, {}]],
	['none', { requests: { memory: '1Gi' } }, 0, { behavior: 'NoSwap', version: 2 }, [0n, { 'memory.swap.max': '0' }]],
	['by what it asks for', { requests: { memory: '1Gi' } }, 0, { behavior: 'LimitedSwap', version: 2 }, [0n, { 'memory.swap.max': '500' }]],
	['asks for nothing', { requests: { cpu: '1' } }, 0, { behavior: 'LimitedSwap', version: 2 }, [0n, { 'memory.swap.max': '0' }]],
	[
		'gets all that it asks for',
		{ requests: { memory: '1Gi', cpu: '1' }, limits: { memory: '1Gi' } },
		0,
		{ behavior: 'LimitedSwap', version: 2 },
		[0n, { 'memory.swap.max': '0' }],
	],
	['critical', { requests: { memory: '1Gi' } }, 2e9, { behavior: 'LimitedSwap', version: 2 }, [0n, { 'memory.swap.max': '0' }]],
] as const)
	test(`the swap of a container: ${name}`, (t) => {
		const spec = { name: 'c', resources };
		const swap = rules === undefined ? undefined : { ...rules, capacityBytes: 1000 };
		const pod = { metadata: {}, spec: { containers: [spec], priority } };
		const given = linuxResources(pod, { kind: 'app', spec, target: '' }, 2 ** 31, {
			cpuQuota: true,
			cpuPeriodUs: 100_000,
			oomGroup: false,
			swap,
		});
		t.deepEqual([given.memorySwapLimitInBytes, given.unified], [...want]);
	});

for (const name of ['SIGTERM', 'SIGUSR1', 'SIGRTMIN+3', 'SIGRTMAX-2', undefined])
	test(`stop signal ${name ?? 'unset'} goes to CRI and comes back`, (t) => t.is(fromCriSignal(toCriSignal(name)), name));

const SANDBOX: SandboxOptions = {
	...{ attempt: 0, logDirectory: '/l', hostname: 'h', cgroupParent: '', runtimeHandler: '' },
	dns: { servers: [], searches: [], options: [] },
};

for (const [name, context, image, want] of [
	['as the image says', {}, { uid: 5, username: '' }, [undefined, undefined, '']],
	['a group, with the user of the image', { runAsGroup: 7 }, { uid: 5, username: '' }, [5n, 7n, '']],
	['a group, with the user of the image by name', { runAsGroup: 7 }, { uid: undefined, username: 'www' }, [undefined, 7n, 'www']],
	['a group, where the image names no user', { runAsGroup: 7 }, { uid: undefined, username: '' }, [0n, 7n, '']],
	['a group and a user', { runAsGroup: 7, runAsUser: 0 }, { uid: 5, username: '' }, [0n, 7n, '']],
] as const)
	test(`whom a container runs as: ${name}`, (t) => {
		const spec = { name: 'c', securityContext: context };
		const pod = { metadata: {}, spec: { containers: [spec] } };
		const made = containerSecurity(pod, { kind: 'app', spec, target: '' }, { targetId: '', masked: [], imageUser: image });
		t.deepEqual([made.runAsUser?.value, made.runAsGroup?.value, made.runAsUsername], [...want]);
	});

for (const [name, annotation, field, want] of [
	['none', undefined, undefined, undefined],
	['of the annotation', 'localhost/mine', undefined, [SecurityProfile_ProfileType.Localhost, 'mine']],
	["of the annotation: the runtime's", 'runtime/default', undefined, [SecurityProfile_ProfileType.RuntimeDefault, '']],
	['of the field rather', 'localhost/mine', 'Unconfined', [SecurityProfile_ProfileType.Unconfined, '']],
] as const)
	test(`the AppArmor profile of a container: ${name}`, (t) => {
		const spec = { name: 'c', ...(field === undefined ? {} : { securityContext: { appArmorProfile: { type: field } } }) };
		const annotations = annotation === undefined ? {} : { 'container.apparmor.security.beta.kubernetes.io/c': annotation };
		const { apparmor } = containerSecurity(
			{ metadata: { annotations }, spec: { containers: [spec] } },
			{ kind: 'app', spec, target: '' },
			{ targetId: '', masked: [] },
		);
		t.deepEqual(
			apparmor === undefined ? undefined : [apparmor.profileType, apparmor.localhostRef],
			want === undefined ? undefined : [...want],
		);
	});

test('what a runtime is told of a container: who it is, its hooks, ports, graces and stop signal', (t) => {
	const preStop = { exec: { command: ['x'] } };
	const spec = { name: 'c', lifecycle: { stopSignal: 'SIGINT', preStop }, ports: [{ containerPort: 80 }] };
	const pod = {
		metadata: {
			name: 'p',
			namespace: 'n',
			uid: 'u',
			deletionGracePeriodSeconds: 5,
			annotations: { 'kubernetes.io/config.source': 'file', a: 'b' },
		},
		spec: { containers: [spec], terminationGracePeriodSeconds: 30 },
	};
	const options = {
		...{ attempt: 2, imageId: 'i', env: [], command: [], args: [], mounts: [], logPath: 'c/2.log', annotations: {} },
		sandbox: SANDBOX,
		devices: [
			{ hostPath: '/dev/a', containerPath: '/dev/b', readOnly: true },
			{ hostPath: '/dev/c', containerPath: '/dev/d', readOnly: false, permissions: 'rw' },
		],
		placement: { cpus: '1-2', memoryNodes: '0' },
		cdiDevices: ['example.com/gpu=0'],
	};
	const config = containerConfig(pod, { kind: 'app', spec, target: '' }, options satisfies ContainerOptions, 2 ** 30, '');
	const { 'io.kubernetes.container.hash': hash = '', ...annotations } = config.annotations;
	t.regex(hash, /^[0-9a-f]{8}$/);
	t.deepEqual(annotations, {
		'io.kubernetes.container.restartCount': '2',
		'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
		'io.kubernetes.container.terminationMessagePolicy': 'File',
		'io.kubernetes.container.preStopHandler': JSON.stringify(preStop),
		'io.kubernetes.container.ports': '[{"containerPort":80}]',
		'io.kubernetes.pod.deletionGracePeriod': '5',
		'io.kubernetes.pod.terminationGracePeriod': '30',
	});
	t.is(fromCriSignal(config.stopSignal), 'SIGINT');
	t.like(config.linux?.resources, { cpusetCpus: '1-2', cpusetMems: '0' });
	t.deepEqual(
		config.devices.map(({ permissions }) => permissions),
		['r', 'rw'],
	);
	t.deepEqual(config.CDIDevices, [{ name: 'example.com/gpu=0' }]);
	t.like(sandboxConfig(pod, SANDBOX).annotations, { 'kubernetes.io/config.source': 'file', a: 'b' });
	const ofApi = { metadata: { annotations: { 'kubernetes.io/config.source': 'me', a: 'b' } }, spec: { containers: [] } };
	const seenAt = Date.UTC(2026, 0, 1);
	const ours = { 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.seen': '2026-01-01T00:00:00Z' };
	t.deepEqual(sandboxConfig(ofApi, { ...SANDBOX, seenAt }).annotations, { ...ours, a: 'b' });
});

test('containers of all kinds count for what the sandbox may; only those that last have ports of the host', (t) => {
	const privileged = { privileged: true };
	const spec = {
		containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 1 }] }],
		initContainers: [
			{ name: 'i', securityContext: privileged, ports: [{ containerPort: 2, hostPort: 2 }] },
			{ name: 's', restartPolicy: 'Always', ports: [{ containerPort: 3, hostPort: 3 }] },
		],
	};
	t.true(sandboxSecurity({ metadata: {}, spec }).privileged);
	t.deepEqual(
		sandboxConfig({ metadata: {}, spec }, SANDBOX).portMappings.map(({ hostPort }) => hostPort),
		[3, 1],
	);
});

for (const [name, podWide, own, want] of [
	['of the pod', { level: 's0:c1' }, undefined, { user: '', role: '', type: '', level: 's0:c1' }],
	['of its own', { level: 's0:c1' }, { type: 't', level: 's0:c2' }, { user: '', role: '', type: 't', level: 's0:c2' }],
	['none', undefined, undefined, undefined],
] as const)
	test(`the SELinux label of a container: ${name}`, (t) => {
		const spec = { name: 'c', ...(own === undefined ? {} : { securityContext: { seLinuxOptions: own } }) };
		const pod = {
			metadata: {},
			spec: { containers: [spec], ...(podWide === undefined ? {} : { securityContext: { seLinuxOptions: podWide } }) },
		};
		t.deepEqual(containerSecurity(pod, { kind: 'app', spec, target: '' }, { targetId: '', masked: [] }).selinuxOptions, want);
		t.deepEqual(sandboxSecurity(pod).selinuxOptions, podWide === undefined ? undefined : { user: '', role: '', type: '', ...podWide });
	});

test('withSeccomp(): files of the node are named by their path; the default is for those that name none', (t) => {
	const local = (localhostProfile: string) => ({ type: 'Localhost', localhostProfile });
	const settings = { folder: '/k/seccomp', byDefault: true };
	const pod = {
		metadata: {},
		spec: {
			securityContext: { seccompProfile: local('a/b.json') },
			containers: [{ name: 'c', securityContext: { seccompProfile: local('c.json') } }, { name: 'd' }],
		},
	};
	t.deepEqual(withSeccomp(pod, settings).spec, {
		securityContext: { seccompProfile: local('/k/seccomp/a/b.json') },
		containers: [{ name: 'c', securityContext: { seccompProfile: local('/k/seccomp/c.json') } }, { name: 'd' }],
	});
	const plain = { metadata: {}, spec: { containers: [] } };
	t.is(withSeccomp(plain, settings).spec?.securityContext?.seccompProfile?.type, 'RuntimeDefault');
	t.is(withSeccomp(plain, { ...settings, byDefault: false }).spec?.securityContext?.seccompProfile, undefined);
});

for (const [name, mount, supported, want] of [
	['not asked for', {}, true, ['', false]],
	['asked for', { readOnly: true, recursiveReadOnly: 'Enabled' }, true, ['', true]],
	['if possible', { readOnly: true, recursiveReadOnly: 'IfPossible' }, false, ['', false]],
	['of a runtime that cannot', { readOnly: true, recursiveReadOnly: 'Enabled' }, false, ['not supported by the runtime', false]],
	['of what is written', { recursiveReadOnly: 'Enabled' }, true, ['not read-only', false]],
	[
		'of what is propagated',
		{ readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' },
		true,
		['not compatible with propagation "HostToContainer"', false],
	],
] as const)
	test(`a mount that is read-only all the way down: ${name}`, (t) => {
		const given = { name: 'v', mountPath: '/v', ...mount };
		const fault = want[0] === '' ? '' : `volume "v" requested recursive read-only mode, but it is ${want[0]}`;
		t.deepEqual([recursionFault(given, supported), isRecursive(given, supported)], [fault, want[1]]);
	});

test('maskedPathsOf(): of processors what there is', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-cpus-'));
	t.teardown(() => rm(folder, { recursive: true, force: true }));
	for (const name of ['cpu0/thermal_throttle', 'cpu1', 'cpufreq/thermal_throttle']) await mkdir(join(folder, name), { recursive: true });
	const paths = maskedPathsOf(folder);
	t.deepEqual(paths.slice(-2), ['/sys/devices/virtual/powercap', join(folder, 'cpu0/thermal_throttle')]);
	t.deepEqual(maskedPathsOf('/nowhere').length, paths.length - 1);
});

test('toContainer(): images that a container has as volumes', (t) => {
	const listed = Container.decode(new Uint8Array());
	const status = ContainerStatus.decode(new Uint8Array());
	const mount = CriMount.decode(new Uint8Array());
	const mounts = [mount, { ...mount, image: imageSpec('sha256:1') }];
	t.deepEqual(toContainer(listed, { ...status, mounts }).volumeImages, ['sha256:1']);
	t.is(toContainer(listed, { ...status, mounts: [mount] }).volumeImages, undefined);
});

test('a runtime that does not answer is given up after the time that was set', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-silent-'));
	const sockets: Socket[] = [];
	const silent = createServer((socket) => sockets.push(socket));
	const path = join(folder, 'cri.sock');
	await new Promise<void>((resolve) => silent.listen(path, resolve));
	const runtime = await connectCri(path, realClock, 50);
	t.teardown(async () => {
		runtime.close();
		// A connection whose beginning is never answered outlives its client.
		for (const socket of sockets) socket.destroy();
		silent.close();
		await rm(folder, { recursive: true });
	});
	await t.throwsAsync(runtime.status(new AbortController().signal), { code: 'DeadlineExceeded' });
});
