/** Devices: a plugin over real sockets that comes, gives, fails, goes, and is found again by an agent that starts anew. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { realClock, type Clock } from '../../base/clock.ts';
import { Registry } from '../../base/metrics.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { agentIn, asking, folderOf, GPU, healthy, type DeviceAgent } from '../../test/fakes/device-agent.ts';
import { device, DevicePluginFake } from '../../test/fakes/device-plugin.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { PodResourcesListerService } from '../../wire/gen/podresources.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import type { AgentContext } from '../context.ts';
import { PodResourcesFigures } from '../pod-resources/figures.ts';
import { PodResourcesListerServiceV1Alpha1, servePodResources } from '../pod-resources/serve.ts';
import { servePlacement } from '../topology/sockets.ts';
import { readDevices } from './checkpoint.ts';
import { devicePlugins } from './registration.ts';

const { signal } = new AbortController();

test('a plugin registers, its devices are given once, told to the runtime, and free again when the pod ends', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0'), device('g1'), device('g2', [], 'Unhealthy')]);
	await plugin.start(GPU, { preStartRequired: true, prefers: (available) => available.toReversed() });
	await healthy(agent, 2);
	t.deepEqual(agent.devices.counts(), { capacity: { [GPU]: '3' }, allocatable: { [GPU]: '2' } });
	const [first, second] = [asking('p', 1), asking('q', 2)];
	t.is(await agent.placement.admit(first, false, signal), undefined);
	t.is(await agent.placement.admit(first, false, signal), undefined);
	t.deepEqual(plugin.calls, ['allocate g1']);
	const more = asking('p', 2);
	await t.throwsAsync(agent.devices.give(more, more.spec.containers[0], { nodes: undefined, preferred: true }, signal), {
		message: `pod "p" container "c" changed request for resource "${GPU}" from 1 to 2`,
	});
	const given = await agent.devices.starting(first, first.spec.containers[0], signal);
	t.deepEqual(plugin.calls, ['allocate g1', 'start g1']);
	t.like(given, {
		env: [{ name: 'DEVICES', value: 'g1' }],
		devices: [{ containerPath: '/dev/g1', hostPath: '/dev/host-g1', permissions: 'rw' }],
		cdi: ['example.com/kind=g1'],
	});
	t.deepEqual(await agent.placement.admit(second, false, signal), {
		reason: 'UnexpectedAdmissionError',
		message: `Allocate failed due to requested number of devices unavailable for ${GPU}. Requested: 2, Available: 1, which is unexpected`,
	});
	agent.placement.ended('p');
	t.is(await agent.placement.admit(second, false, signal), undefined);
});

test('a plugin that fails to say what it would rather have is told of in the words of upstream', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0'), device('g1')]);
	const prefers = (): never => {
		throw new Error('no wish');
	};
	await plugin.start(GPU, { prefers });
	await healthy(agent, 2);
	const refused = await agent.placement.admit(asking('p', 1), false, signal);
	t.regex(
		refused?.message ?? '',
		/^Allocate failed due to device plugin GetPreferredAllocation rpc failed with err: rpc error: code = \w+ desc = .*no wish/,
	);
});

test('an init container leaves its devices to the container after it', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0'), device('g1')]);
	await plugin.start(GPU);
	await healthy(agent, 2);
	t.is(await agent.placement.admit(asking('p', 2, 2), false, signal), undefined);
	t.deepEqual(plugin.calls, ['allocate g0,g1', 'allocate g0,g1']);
});

test('a plugin that refuses turns the pod away, and nothing stays taken', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0')]);
	await plugin.start(GPU, { failAllocate: 'on fire' });
	await healthy(agent, 1);
	const refusal = await agent.placement.admit(asking('p', 1), false, signal);
	t.is(refusal?.reason, 'UnexpectedAdmissionError');
	t.regex(refusal?.message ?? '', /^Allocate failed due to .*on fire.*, which is unexpected$/);
	t.deepEqual(agent.devices.holders(), []);
});

for (const [method, silentAt] of [
	['Allocate', 'allocate'],
	['GetPreferredAllocation', 'getPreferredAllocation'],
] as const)
	test(`a plugin that does not answer to ${method} keeps its pod from being admitted, and no other for long`, async (t) => {
		const folder = await folderOf(t);
		const virtual = new VirtualClock();
		const clock: Clock = Object.assign(Object.create(realClock) as Clock, { after: virtual.after.bind(virtual) });
		const agent = await agentIn(folder, 'none', clock);
		t.teardown(() => agent.stop());
		await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0'), device('g1')]);
		await plugin.start(GPU, { silentAt, prefers: (available) => available });
		await healthy(agent, 2);
		const refused = agent.placement.admit(asking('p', 1), false, signal);
		await eventually('the plugin asked', async () => plugin.silent === 1);
		await virtual.advance(30_000);
		t.regex((await refused)?.message ?? '', new RegExp(`^Allocate failed due to ${method} of ${GPU} took longer than 30000 ms`));
	});

test('what cannot be kept over a restart is not given; once it can be, it is', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0')]);
	await plugin.start(GPU);
	await healthy(agent, 1);
	await agent.devices.saved();
	const checkpoint = join(folder, 'kubelet_internal_checkpoint');
	await rm(checkpoint);
	await mkdir(join(checkpoint, 'in-the-way'), { recursive: true });
	t.is((await agent.placement.admit(asking('p', 1), false, signal))?.reason, 'UnexpectedAdmissionError');
	t.deepEqual(agent.devices.holders(), []);
	await rm(checkpoint, { recursive: true });
	t.is(await agent.placement.admit(asking('p', 1), false, signal), undefined);
	t.true((await readFile(checkpoint, 'utf8')).includes('g0'));
});

test('devices of two nodes are not given to who must have them from one', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder, 'single-numa-node');
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0', [0]), device('g1', [1]), device('g2', [1])]);
	await plugin.start(GPU);
	await healthy(agent, 3);
	t.is(await agent.placement.admit(asking('p', 2), false, signal), undefined);
	t.deepEqual(plugin.calls, ['allocate g1,g2']);
	agent.placement.ended('p');
	t.is(await agent.placement.admit(asking('one', 1), false, signal), undefined);
	t.deepEqual(await agent.placement.admit(asking('three', 3), false, signal), {
		reason: 'TopologyAffinityError',
		message: 'Resources cannot be allocated with Topology locality',
	});
});

test('hints name only nodes that have any of the devices, and a device near two nodes is told of under both', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0', [1]), device('g1', [1])]);
	await plugin.start(GPU);
	await healthy(agent, 2);
	const pod = asking('p', 1);
	t.deepEqual(agent.devices.hints(pod, pod.spec.containers[0]), { [GPU]: [{ nodes: 2, preferred: true }] });
	plugin.tell([device('g0', [0, 1])]);
	await healthy(agent, 1);
	await agent.placement.admit(pod, false, signal);
	const under = [
		[0, ['g0']],
		[1, ['g0']],
	];
	t.deepEqual([...(agent.devices.held('p', 'c').get(GPU)?.byNode ?? [])], under);
	await agent.devices.saved();
	t.deepEqual((await readDevices(folder, noLog)).held.get('p', 'c')?.get(GPU)?.ids, ['g0']);
});

test('a pod is told of when the devices that it has may be in another state; what nobody has told of is not called unhealthy', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0'), device('g1')]);
	await plugin.start(GPU);
	await healthy(agent, 2);
	t.is(await agent.placement.admit(asking('p', 1), false, signal), undefined);
	const health = ({ devices }: DeviceAgent): unknown => devices.healthOf('p', 'c').map(({ name, resources }) => [name, resources]);
	const all = (state: string): unknown => [[GPU, [{ resourceID: 'g0', health: state }]]];
	t.deepEqual(health(agent), all('Healthy'));
	t.deepEqual(agent.devices.healthOf('other', 'c'), []);
	agent.woken.clear();
	plugin.tell([device('g0', [], 'Unhealthy'), device('g1')]);
	await healthy(agent, 1);
	t.deepEqual(health(agent), all('Unhealthy'));
	t.deepEqual([...agent.woken], ['p']);
	await agent.stop();
	const after = await agentIn(folder);
	t.teardown(() => after.stop());
	t.deepEqual(health(after), all('Healthy'));
});

test('health comes and goes with what the plugin tells, all of it when the plugin goes, and comes again with it', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0'), device('g1')]);
	await plugin.start(GPU);
	await healthy(agent, 2);
	plugin.tell([device('g0'), device('g1', [], 'Unhealthy')]);
	await healthy(agent, 1);
	await plugin.stop();
	await healthy(agent, 0);
	t.deepEqual(agent.devices.counts().capacity, { [GPU]: '2' });
	t.deepEqual(await agent.placement.admit(asking('p', 1), false, signal), {
		reason: 'UnexpectedAdmissionError',
		message: `Allocate failed due to no healthy devices present; cannot allocate unhealthy devices ${GPU}, which is unexpected`,
	});
	await plugin.start(GPU);
	await healthy(agent, 1);
});

test('an agent that starts anew knows who has what; a pod that runs stays, one that does not needs its plugin', async (t) => {
	const folder = await folderOf(t);
	const before = await agentIn(folder);
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0', [1]), device('g1')]);
	await plugin.start(GPU);
	await healthy(before, 2);
	for (const uid of ['runs', 'waits']) await before.placement.admit(asking(uid, 1), false, signal);
	await before.stop();
	await plugin.stop();
	const after = await agentIn(folder);
	t.teardown(() => after.stop());
	t.deepEqual(after.devices.counts(), { capacity: { [GPU]: '2' }, allocatable: { [GPU]: '0' } });
	t.is(await after.placement.admit(asking('runs', 1), true, signal), undefined);
	t.deepEqual(after.devices.held('runs', 'c').get(GPU)?.ids, ['g0']);
	t.deepEqual(await after.placement.admit(asking('waits', 1), false, signal), {
		reason: 'UnexpectedAdmissionError',
		message: `Allocate failed due to no healthy devices present; cannot allocate unhealthy devices ${GPU}, which is unexpected`,
	});
	after.placement.keep(() => false);
	t.deepEqual(after.devices.holders(), []);
});

for (const [name, text] of [
	["upstream's", '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":1}'],
	['a broken one', '{"version":1,"Data":{"PodDeviceEntries":[{}]}}'],
	['no JSON', 'nothing'],
] as const)
	test(`a checkpoint that cannot be read is warned of and gone on from: ${name}`, async (t) => {
		const folder = await folderOf(t);
		await writeFile(join(folder, 'kubelet_internal_checkpoint'), text);
		const warnings: string[] = [];
		const { held } = await readDevices(folder, { ...noLog, warn: (message) => warnings.push(message) });
		t.deepEqual(held.holders(), []);
		t.deepEqual(warnings, ['who has which devices is not known any more']);
	});

test('registration refuses versions and names that there are none of', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', []);
	await t.throwsAsync(plugin.start('gpu'), { message: /the ResourceName "gpu" is invalid/ });
	await plugin.stop();
	await t.throwsAsync(plugin.start('kubernetes.io/gpu'), { message: /is invalid/ });
	const kind = devicePlugins(agent.devices);
	const info = { type: 'DevicePlugin', name: GPU, endpoint: '/nowhere', supportedVersions: ['v1'] };
	t.throws(() => kind.register(info, signal), { message: /requested API version "v1" is not supported/ });
});

test('the pod resources API lists devices by pod and container, what can be given, and says when it knows no such pod', async (t) => {
	const folder = await folderOf(t);
	const agent = await agentIn(folder);
	t.teardown(() => agent.stop());
	await using plugin = new DevicePluginFake(folder, 'gpu', [device('g0', [1])]);
	await plugin.start(GPU);
	await healthy(agent, 1);
	const pod = asking('p', 1);
	await agent.placement.admit(pod, false, signal);
	const given = {
		placed: { devices: agent.devices, cpus: undefined, memory: undefined },
		dra: { claims: { devicesOf: () => [] } },
	};
	const registry = new Registry();
	const figures = new PodResourcesFigures(registry);
	let pods = (): readonly Pod[] => [pod];
	const server = await servePodResources({ rootDir: folder, pods: () => pods(), given, figures, clock: realClock, log: noLog });
	const client = await grpcClient(PodResourcesListerService, {
		address: `unix://${join(folder, 'pod-resources', 'kubelet.sock')}`,
		clock: realClock,
	});
	const ofOld = await grpcClient(PodResourcesListerServiceV1Alpha1, {
		address: `unix://${join(folder, 'pod-resources', 'kubelet.sock')}`,
		clock: realClock,
	});
	t.teardown(async () => {
		client.close();
		ofOld.close();
		await server.stop();
	});
	const devices = [{ resourceName: GPU, deviceIds: ['g0'], topology: { nodes: [{ ID: 1n }] } }];
	const { podResources } = await client.list({});
	t.like(podResources[0], { name: 'p', namespace: 'n' });
	t.deepEqual(podResources[0]?.containers, [{ name: 'c', devices, cpuIds: [], memory: [], dynamicResources: [] }]);
	t.deepEqual((await client.getAllocatableResources({})).devices, devices);
	const old = (await ofOld.list({})).podResources[0];
	t.like(old, { name: 'p', namespace: 'n' });
	t.deepEqual(old?.containers, [
		{ name: 'c', devices: [{ resourceName: GPU, deviceIds: ['g0'], topology: undefined }], cpuIds: [], memory: [], dynamicResources: [] },
	]);
	t.is((await client.get({ podName: 'p', podNamespace: 'n' })).podResources?.name, 'p');
	await t.throwsAsync(client.get({ podName: 'q', podNamespace: 'n' }), { message: 'pod q in namespace n not found' });
	pods = () => {
		throw new Error('not now');
	};
	await t.throwsAsync(client.list({}), { message: /not now/ });
	const counted = async (name: string): Promise<number | undefined> =>
		(await registry.getSingleMetric(`kubelet_pod_resources_endpoint_${name}`)?.get())?.values[0]?.value;
	const names = ['requests_total', 'requests_list', 'requests_get', 'requests_get_allocatable', 'errors_list', 'errors_get'];
	t.deepEqual(await Promise.all(names.map(counted)), [5, 2, 2, 1, 1, 1]);
	t.regex(await registry.metrics(), /requests_total{server_api_version="v1alpha1"} 1/);
});

test('an agent serves both sockets until it ends, and none where it is not to', async (t) => {
	const rootDir = await folderOf(t);
	const agent = await agentIn(join(rootDir, 'other'));
	t.teardown(() => agent.stop());
	const stop = new AbortController();
	const contextOf = (pluginSockets: boolean): AgentContext =>
		({
			options: { rootDir, pluginSockets },
			placed: { devices: agent.devices },
			...{ dra: { claims: {} }, clock: realClock, log: noLog, figures: { podResources: new PodResourcesFigures(new Registry()) } },
		}) as unknown as AgentContext;
	await servePlacement(contextOf(false), () => [], stop.signal);
	const sockets = async (): Promise<readonly string[]> =>
		(await readdir(rootDir, { recursive: true, withFileTypes: true }))
			.filter((entry) => entry.isSocket() && !entry.parentPath.endsWith('other'))
			.map(({ parentPath, name }) => join(basename(parentPath), name))
			.toSorted((a, b) => a.localeCompare(b));
	t.deepEqual(await sockets(), []);
	const serving = servePlacement(contextOf(true), () => [], stop.signal);
	await eventually('both sockets', async () => (await sockets()).length === 2);
	t.deepEqual(await sockets(), ['device-plugins/kubelet.sock', 'pod-resources/kubelet.sock']);
	await using plugin = new DevicePluginFake(join(rootDir, 'device-plugins'), 'gpu', [device('g0')]);
	await plugin.start(GPU);
	await healthy(agent, 1);
	stop.abort();
	await serving;
	t.deepEqual(await sockets(), ['device-plugins/gpu.sock']);
});
