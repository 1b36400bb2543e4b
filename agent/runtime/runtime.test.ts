import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { runtimeSuite } from '../../test/suites/runtime-suite.ts';
import { connectCri } from './cri.ts';
import { containerConfig, sandboxConfig } from './cri-config.ts';
import { oomScoreAdj } from './cri-resources.ts';
import { fromCriSignal, toCriSignal } from './cri-signal.ts';
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

for (const name of ['SIGTERM', 'SIGUSR1', 'SIGRTMIN+3', 'SIGRTMAX-2', undefined])
	test(`stop signal ${name ?? 'unset'} goes to CRI and comes back`, (t) => t.is(fromCriSignal(toCriSignal(name)), name));

const SANDBOX: SandboxOptions = {
	...{ attempt: 0, logDirectory: '/l', hostname: 'h', cgroupParent: '', runtimeHandler: '' },
	dns: { servers: [], searches: [], options: [] },
};

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
	t.is(sandboxConfig({ metadata: {}, spec: { containers: [] } }, SANDBOX).annotations['kubernetes.io/config.source'], 'api');
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
