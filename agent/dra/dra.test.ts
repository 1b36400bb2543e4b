/** Dynamic resources: claims of pods on virtual time, and a driver over real sockets that comes and goes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { PodSpec, PodStatus, ResourceResourceClaim } from '../../api/gen/types.ts';
import { aborted } from '../../base/abort.ts';
import { realClock, type Clock } from '../../base/clock.ts';
import { noLog, type Log } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { DraPluginFake } from '../../test/fakes/dra-plugin.ts';
import { c, playing } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { DRAPluginService } from '../../wire/gen/dra.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import { watchPlugins } from '../plugin/plugin-watcher.ts';
import { DynamicFigures } from './figures.ts';
import { DraPlugins, versionOf, type DraClient } from './plugins.ts';

const DRIVER = 'gpu.example.com';
const CLAIMS = '/apis/resource.k8s.io/v1/resourceclaims';

const using: Partial<PodSpec> = {
	containers: [
		c({ resources: { claims: [{ name: 'local', request: 'gpu' }] } }),
		c({ name: 'all', resources: { claims: [{ name: 'local' }] } }),
	],
	resourceClaims: [{ name: 'local', resourceClaimName: 'claim' }],
};

function claimFor(uids: readonly string[], name = 'claim', driver = DRIVER): ResourceResourceClaim {
	return {
		metadata: { name },
		spec: {},
		status: {
			allocation: { devices: { results: [{ driver, pool: 'node', device: 'gpu-0', request: 'gpu' }] } },
			reservedFor: uids.map((uid) => ({ resource: 'pods', name: uid, uid })),
		},
	} as ResourceResourceClaim;
}

interface Bench {
	readonly node: SimulatedNode;
	readonly plugin: DraPluginFake;
}

async function bench(options: Parameters<typeof playing>[0] = {}): Promise<Bench> {
	const { node } = await playing(options);
	const plugin = new DraPluginFake(DRIVER);
	driverIn(node, plugin);
	return { node, plugin };
}

function driverIn(node: SimulatedNode, plugin: DraPluginFake): void {
	Object.assign(node.context.dra.plugins, { get: () => plugin.client });
}

const uid = (node: SimulatedNode, name: string): string => node.pod(name)?.metadata.uid ?? '';

test('a claim is prepared before its pod starts, its devices go to the containers that name them, and it is unprepared after the last', async (t) => {
	const { node, plugin } = await bench();
	await using _ = node;
	await node.create('p', using);
	t.regex(
		node.events('p').join('\n'),
		/FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: .*not found/,
	);
	t.is(node.pod('p')?.status?.phase, 'Pending');
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'p')]) as never, 'n');
	await node.advance(10_000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	t.deepEqual(plugin.calls, ['prepare claim']);
	const pod = node.pod('p') ?? { metadata: {} };
	const { claims } = node.context.dra;
	t.deepEqual(
		(pod.spec?.containers ?? []).map((container) => claims.cdiOf(pod, container)),
		[[`${DRIVER}/gpu=claim`], [`${DRIVER}/gpu=claim`, `${DRIVER}/nic=claim`]],
	);
	const unknown = (id: string) => ({ resourceID: `${DRIVER}/${id}=claim`, health: 'Unknown' });
	t.deepEqual(
		pod.status?.containerStatuses?.map(({ allocatedResourcesStatus }) => allocatedResourcesStatus),
		[[{ name: 'claim:local/gpu', resources: [unknown('gpu')] }], [{ name: 'claim:local', resources: [unknown('gpu'), unknown('nic')] }]],
	);
	await node.delete('p', 1);
	await node.advance(5000);
	t.is(node.pod('p'), undefined);
	t.deepEqual(plugin.calls, ['prepare claim', 'unprepare claim']);
});

for (const [name, claim, spec, status, message] of [
	['reserved for another', claimFor(['other']), using, {}, /is not allowed to use ResourceClaim claim/],
	[
		'made from a template for another',
		claimFor(['other']),
		{ ...using, resourceClaims: [{ name: 'local', resourceClaimTemplateName: 't' }] },
		{ resourceClaimStatuses: [{ name: 'local', resourceClaimName: 'claim' }] },
		/ResourceClaim n\/claim was not created for pod n\/p \(pod is not owner\)/,
	],
	[
		'yet to be made from a template',
		claimFor([]),
		{ ...using, resourceClaims: [{ name: 'local', resourceClaimTemplateName: 't' }] },
		{},
		/pod "n\/p": ResourceClaim for "local" not created yet/,
	],
] satisfies readonly (readonly [string, ResourceResourceClaim, Partial<PodSpec>, PodStatus, RegExp])[])
	test(`a pod does not start with a claim that is ${name}`, async (t) => {
		const { node, plugin } = await bench();
		await using _ = node;
		node.transport.api.create(CLAIMS, claim as never, 'n');
		await node.create('p', spec);
		await node.update('p', (pod) => Object.assign(pod, { status: { ...pod.status, ...status } }));
		await node.advance(20_000);
		t.regex(node.events('p').join('\n'), message);
		t.deepEqual(plugin.calls, []);
	});

test('extended resources that a claim stands for: it is prepared, its devices go to those who ask, and the node need not have the resource', async (t) => {
	const { node, plugin } = await bench();
	await using _ = node;
	node.node = { metadata: { name: 'node' }, status: { allocatable: { cpu: '8', memory: '8Gi', pods: '10', 'example.com/gpu': '0' } } };
	const amounts = { 'example.com/gpu': '1' };
	const containers = [c({ resources: { requests: amounts, limits: amounts } }), c({ name: 'none' })];
	const requestMappings = [{ containerName: 'c', resourceName: 'example.com/gpu', requestName: 'gpu' }];
	const extendedResourceClaimStatus = { resourceClaimName: 'claim', requestMappings };
	const spec = { nodeName: 'node', restartPolicy: 'Always', containers };
	node.transport.api.create(
		'/api/v1/pods',
		{ metadata: { name: 'p' }, spec, status: { phase: 'Pending', extendedResourceClaimStatus } } as never,
		'n',
	);
	await node.advance(0);
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'p')]) as never, 'n');
	await node.advance(20_000);
	const pod = node.pod('p') ?? { metadata: {} };
	t.is(pod.status?.phase, 'Running', node.events('p').join('\n'));
	t.deepEqual(pod.status?.extendedResourceClaimStatus, extendedResourceClaimStatus);
	t.deepEqual(plugin.calls, ['prepare claim']);
	t.deepEqual(
		containers.map((container) => node.context.dra.claims.cdiOf(pod, container)),
		[[`${DRIVER}/gpu=claim`], []],
	);
	await node.delete('p', 1);
	await node.advance(5000);
	t.deepEqual(plugin.calls, ['prepare claim', 'unprepare claim']);
});

test('what a driver refuses is tried again; two pods share what one of them has prepared', async (t) => {
	const { node, plugin } = await bench();
	await using _ = node;
	plugin.fault = 'no such gpu';
	await node.create('p', using);
	await node.create('q', using);
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'p'), uid(node, 'q')]) as never, 'n');
	await node.advance(10_000);
	t.regex(node.events('p').join('\n'), /NodePrepareResources failed for ResourceClaim claim: no such gpu/);
	plugin.fault = '';
	plugin.calls.length = 0;
	await node.advance(20_000);
	t.deepEqual([node.pod('p')?.status?.phase, node.pod('q')?.status?.phase], ['Running', 'Running']);
	t.deepEqual(plugin.calls, ['prepare claim']);
	await node.delete('p', 1);
	await node.advance(5000);
	t.deepEqual([...plugin.prepared], ['claim']);
	await node.delete('q', 1);
	await node.advance(5000);
	t.deepEqual([...plugin.prepared], []);
});

test('a driver that does not answer keeps only pods whose claims it has', async (t) => {
	const { node, plugin } = await bench();
	await using _ = node;
	const silent: Partial<DraClient> = {
		nodePrepareResources: async (_request, { signal } = {}) => {
			if (signal !== undefined) await aborted(signal);
			throw new Error('over');
		},
	};
	Object.assign(node.context.dra.plugins, { get: (driver: string) => (driver === DRIVER ? plugin.client : silent) });
	await node.create('p', using);
	await node.create('q', { ...using, resourceClaims: [{ name: 'local', resourceClaimName: 'other' }] });
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'p')], 'claim', 'silent.example.com') as never, 'n');
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'q')], 'other') as never, 'n');
	await node.advance(10_000);
	t.deepEqual([node.pod('p')?.status?.phase, node.pod('q')?.status?.phase], ['Pending', 'Running']);
	await node.delete('q', 1);
	await node.advance(5000);
	t.deepEqual(plugin.calls, ['prepare other', 'unprepare other']);
});

test('a pod whose driver never came has nothing to give back, and goes', async (t) => {
	const { node } = await playing({});
	await using _ = node;
	await node.create('p', using);
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'p')]) as never, 'n');
	await node.advance(10_000);
	t.regex(node.events('p').join('\n'), /DRA driver gpu.example.com is not registered/);
	await node.delete('p', 1);
	await node.advance(5000);
	t.is(node.pod('p'), undefined);
});

for (const [name, bootId, calls] of [
	['the agent alone starts anew', 'b', []],
	['the machine has started anew', 'after', ['prepare claim']],
] as const)
	test(`whether the driver is asked again for a claim when ${name}`, async (t) => {
		const { node, plugin } = await bench();
		await using _ = node;
		await node.create('p', using);
		node.transport.api.create(CLAIMS, claimFor([uid(node, 'p')]) as never, 'n');
		await node.advance(10_000);
		await node.stopAgent();
		plugin.calls.length = 0;
		node.runtime.reboot();
		Object.assign(node.context, { host: { ...node.context.host, bootId } });
		await node.startAgent();
		driverIn(node, plugin);
		await node.advance(20_000);
		t.is(node.pod('p')?.status?.phase, 'Running');
		t.deepEqual(plugin.calls, [...calls]);
	});

test('that a pod has ended is not said while its claims are prepared, not even over a new start of the agent', async (t) => {
	const { node, plugin } = await bench({ script: () => ({ runMs: 1000, exitCode: 0 }) });
	await using _ = node;
	await node.create('p', { ...using, restartPolicy: 'Never' });
	node.transport.api.create(CLAIMS, claimFor([uid(node, 'p')]) as never, 'n');
	await node.advance(600);
	plugin.fault = 'not now';
	await node.advance(5000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	await node.stopAgent();
	await node.startAgent();
	driverIn(node, plugin);
	await node.advance(15_000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	plugin.fault = '';
	await node.advance(20_000);
	t.is(node.pod('p')?.status?.phase, 'Succeeded');
	t.deepEqual([...plugin.prepared], []);
});

for (const [versions, want] of [
	[['v1beta1.DRAPlugin', 'v1.DRAPlugin'], 'v1'],
	[['v1beta1.DRAPlugin'], 'v1beta1'],
	[['1.0.0'], 'v1beta1'],
] as const)
	test(`versionOf(): ${versions.join()}`, (t) => t.is(versionOf(DRIVER, versions), want));

test('versionOf(): one that there is none of is refused', (t) => {
	t.throws(() => versionOf(DRIVER, ['v2.DRAPlugin']), { message: /supports none of v1.DRAPlugin and v1beta1.DRAPlugin: v2.DRAPlugin/ });
});

test('a driver registers by its socket and is called in its version; what it published goes a while after it', async (t) => {
	t.timeout(120_000);
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-dra-'));
	const stop = new AbortController();
	const { signal } = stop;
	const virtual = new VirtualClock();
	const clock: Clock = Object.assign(Object.create(realClock) as Clock, {
		after: virtual.after.bind(virtual),
		sleep: virtual.sleep.bind(virtual),
	});
	const slices = new Set([`node ${DRIVER}`, `other ${DRIVER}`, 'node left.example.com']);
	const items = [...slices].map((slice) => ({ spec: { driver: slice.slice(slice.indexOf(' ') + 1) } }));
	const client = {
		list: async () => ({ items }),
		deleteCollection: async (_: unknown, { fieldSelector = '' }: { readonly fieldSelector?: string }) => {
			const [, node, driver] = /^spec\.nodeName=(.*),spec\.driver=(.*)$/.exec(fieldSelector) ?? [];
			slices.delete(`${node} ${driver}`);
		},
	} as unknown as Client;
	let told = 0;
	const registry = new Registry();
	const figures = new DynamicFigures(registry);
	const called = (driver: string, call: FinishedCall): void => figures.called(driver, call);
	const plugins = new DraPlugins({ client, clock, log: noLog, nodeName: 'node', registered: () => told++, called });
	await using plugin = new DraPluginFake(DRIVER);
	const older = Object.fromEntries(
		Object.entries(DRAPluginService).map(([name, method]) => [name, { ...method, path: method.path.replace('v1', 'v1beta1') }]),
	) as typeof DRAPluginService;
	await plugin.start(folder, ['v1beta1.DRAPlugin'], older);
	const watching = watchPlugins({ folder, kinds: { DRAPlugin: plugins }, clock: realClock, log: noLog }, signal);
	t.teardown(async () => {
		stop.abort();
		await watching;
		await rm(folder, { recursive: true, force: true });
	});
	await eventually('the driver registered', async () => told === 1);
	await plugins.begin(signal);
	const claim = { namespace: 'n', name: 'claim', uid: 'u' };
	const { claims } = await plugins.get(DRIVER).nodePrepareResources({ claims: [claim] });
	t.is(claims['u']?.devices.length, 2);
	const method = '/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources';
	const labels = `driver_name="${DRIVER}",method_name="${method}",grpc_status_code="OK"`;
	t.true((await registry.metrics()).includes(`dra_grpc_operations_duration_seconds_count{${labels}} 1`));
	await virtual.advance(31_000);
	await eventually('the slice of a driver that did not come back gone', async () => slices.size === 2);
	t.false(slices.has('node left.example.com'));
	await plugin.stop();
	await eventually('the driver gone', async () => {
		try {
			plugins.get(DRIVER);
			return false;
		} catch (error) {
			return (error as Error).message === `DRA driver ${DRIVER} is not registered`;
		}
	});
	t.is(slices.size, 2);
	await virtual.advance(31_000);
	await eventually('its slice gone', async () => !slices.has(`node ${DRIVER}`));
	t.deepEqual([...slices], [`other ${DRIVER}`]);
});

interface Wiping {
	readonly plugins: DraPlugins;
	readonly clock: VirtualClock;
	readonly stop: AbortController;
	readonly warnings: string[];
	/** Signals of the wipes that began. */
	readonly wipes: AbortSignal[];
}

/** What one driver published is seen; its wipes do not end. @param lists how often that it is seen fails first */
function wiping(lists: number): Wiping {
	const clock = new VirtualClock();
	const warnings: string[] = [];
	const wipes: AbortSignal[] = [];
	let failures = lists;
	const client = {
		list: async () => {
			if (failures-- > 0) throw new Error('not now');
			return { items: [{ spec: { driver: DRIVER } }] };
		},
		deleteCollection: async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
			wipes.push(signal);
			await aborted(signal);
			signal.throwIfAborted();
		},
	} as unknown as Client;
	const log = { ...noLog, warn: (message: string) => warnings.push(message) } as Log;
	return {
		plugins: new DraPlugins({ client, clock, log, nodeName: 'node', registered: () => {} }),
		clock,
		stop: new AbortController(),
		warnings,
		wipes,
	};
}

const INFO = { type: 'DRAPlugin', name: DRIVER, endpoint: '/nowhere/dra.sock', supportedVersions: ['v1.DRAPlugin'] };

test('what drivers of an earlier life have published is looked for until it is seen', async (t) => {
	const { plugins, clock, stop, warnings, wipes } = wiping(2);
	const beginning = plugins.begin(stop.signal);
	await clock.advance(20_000);
	await beginning;
	t.is(warnings.length, 2);
	await clock.advance(30_000);
	t.is(wipes.length, 1);
	stop.abort();
});

test('a driver that comes back ends the wipe of what it had published; so does the end of the agent, and nobody is warned', async (t) => {
	const { plugins, clock, stop, warnings, wipes } = wiping(0);
	await plugins.begin(stop.signal);
	await clock.advance(30_000);
	await plugins.register(INFO, stop.signal);
	t.deepEqual(
		wipes.map((signal) => signal.aborted),
		[true],
	);
	await clock.advance(60_000);
	await plugins.deregister(INFO);
	await clock.advance(30_000);
	stop.abort();
	await clock.advance(60_000);
	t.deepEqual(
		wipes.map((signal) => signal.aborted),
		[true, true],
	);
	t.deepEqual(warnings, []);
});

test('a driver that registers while the agent ends is not taken', async (t) => {
	const { plugins, stop } = wiping(0);
	await plugins.begin(stop.signal);
	const registering = plugins.register(INFO, stop.signal);
	stop.abort(new Error('over'));
	await t.throwsAsync(registering, { message: 'over' });
	t.throws(() => plugins.get(DRIVER), { message: `DRA driver ${DRIVER} is not registered` });
});
