import test from 'ava';
// Loaded when it is wanted, which takes a moment that no virtual clock has.
import '../../../api/cel/device.ts';
import type { Condition, Pod, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { parseSchedulerConfiguration } from '../configuration/configuration.ts';
import { runningScheduler, type RunningScheduler } from '../../../test/fakes/running-scheduler.ts';
import { node, pod } from '../../../test/fakes/scheduling.ts';
import { readinessOf } from './binding.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/resourceclaims';
const DEVICE = { driver: 'gpu.example.com', pool: 'n1', device: 'd0' };
const NEEDS = { bindingConditions: ['Ready', 'Warm'], bindingFailureConditions: ['Broken'] };
const is = (type: string, status = 'True'): Condition => ({
	type,
	status,
	reason: 'Why',
	message: 'so',
	lastTransitionTime: '2026-01-01T00:00:00Z',
});

const claim = (conditions: readonly Condition[] | undefined): ResourceResourceClaim => ({
	metadata: { name: 'c' },
	spec: {},
	status: {
		allocation: { devices: { results: [{ request: 'r', ...DEVICE, ...NEEDS }] } },
		...(conditions === undefined ? {} : { devices: [{ ...DEVICE, conditions: [...conditions] }] }),
	},
});

for (const [name, conditions, want] of [
	['nothing is said', undefined, { type: 'waiting' }],
	['one is not there', [is('Ready')], { type: 'waiting' }],
	['one does not hold', [is('Ready'), is('Warm', 'False')], { type: 'waiting' }],
	['all hold', [is('Ready'), is('Warm')], { type: 'ready' }],
	[
		'it failed',
		[is('Ready'), is('Warm'), is('Broken')],
		{ type: 'failed', why: 'device binding failed: claim=c, reason=Why, message="so"' },
	],
	['it did not fail', [is('Ready'), is('Warm'), is('Broken', 'False')], { type: 'ready' }],
] as const)
	test(`readinessOf(): ${name}`, (t) => t.deepEqual(readinessOf(claim(conditions)), want));

/** A pod on the one node, whose device is told to be made ready. */
async function waiting(body: (parts: RunningScheduler) => Promise<void>): Promise<void> {
	const settings = parseSchedulerConfiguration(
		`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
profiles:
- pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 60s}}]
`,
		'file',
	);
	await runningScheduler(
		async (parts) => {
			const { api } = parts.transport;
			api.create('/api/v1/nodes', node('n1'), undefined);
			api.create('/apis/resource.k8s.io/v1/deviceclasses', { metadata: { name: 'gpu' }, spec: {} } as never, undefined);
			const spec = { driver: DEVICE.driver, nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 } };
			const devices = [{ name: 'd0', ...NEEDS }];
			api.create('/apis/resource.k8s.io/v1/resourceslices', { metadata: { name: 's' }, spec: { ...spec, devices } } as never, undefined);
			await parts.clock.advance(1000);
			const requests = [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } }];
			api.create(CLAIMS, { metadata: { name: 'c' }, spec: { devices: { requests } } } as never, 'default');
			api.create('/api/v1/pods', pod('p', { resourceClaims: [{ name: 'local', resourceClaimName: 'c' }] }), 'default');
			await parts.clock.advance(5000);
			await body(parts);
		},
		{ settings },
	);
}

async function counted({ metrics }: RunningScheduler, name: string): Promise<readonly object[]> {
	const metric = await metrics.getSingleMetric(`scheduler_${name}`)?.get();
	return (metric?.values ?? []).map(({ labels, value }) => ({ ...labels, value }));
}
/** How many allocations waited, and how long, as upstream counts them. */
async function waits(parts: RunningScheduler): Promise<readonly object[]> {
	const sums = await counted(parts, 'dra_bindingconditions_wait_duration_seconds');
	const isWhole = (one: object): boolean => !('le' in one);
	return [...(await counted(parts, 'dra_bindingconditions_allocations_total')), ...sums.filter(isWhole)];
}

const claimIn = ({ transport }: RunningScheduler) => transport.api.get(CLAIMS, 'default/c') as ResourceResourceClaim;
const nodeOf = ({ transport }: RunningScheduler) => (transport.api.get('/api/v1/pods', 'default/p') as Pod).spec?.nodeName;

function told(parts: RunningScheduler, ...conditions: readonly Condition[]): void {
	const { status, ...more } = claimIn(parts);
	parts.transport.api.update(CLAIMS, 'default/c', {
		...more,
		status: { ...status, devices: [{ ...DEVICE, conditions: [...conditions] }] },
	} as never);
}

test('a pod is bound once its devices are ready', async (t) => {
	await waiting(async (parts) => {
		t.regex(parts.events().join('\n'), /BindingConditionsPending: waiting for binding conditions for device on node n1/);
		t.like(claimIn(parts).status?.allocation?.devices?.results?.[0], NEEDS);
		told(parts, is('Ready'));
		await parts.clock.advance(1000);
		t.is(nodeOf(parts), undefined);
		told(parts, is('Ready'), is('Warm'));
		await parts.clock.advance(1000);
		t.is(nodeOf(parts), 'n1');
		const labels = { profile: 'default-scheduler', driver: DEVICE.driver, status: 'success' };
		t.deepEqual(await waits(parts), [
			{ ...labels, value: 1 },
			{ ...labels, value: 6 },
			{ ...labels, value: 1 },
		]);
	});
});

test('devices that fail are taken back, and looked for again', async (t) => {
	await waiting(async (parts) => {
		told(parts, is('Broken'));
		await parts.clock.advance(20_000);
		const events = parts.events().join('\n');
		t.regex(events, /running PreBind plugin "DynamicResources": device binding failed: claim=c, reason=Why, message="so"/);
		t.regex(events, /1 resourceclaim not available on the node. deallocation of ResourceClaim completed/);
		t.is(claimIn(parts).status?.devices, undefined);
		t.like((await waits(parts))[0], { status: 'failure', value: 1 });
		told(parts, is('Ready'), is('Warm'));
		await parts.clock.advance(20_000);
		t.is(nodeOf(parts), 'n1');
	});
});

test('devices that do not get ready in time are taken back', async (t) => {
	await waiting(async (parts) => {
		await parts.clock.advance(50_000);
		t.notRegex(parts.events().join('\n'), /FailedScheduling/);
		await parts.clock.advance(20_000);
		const events = parts.events().join('\n');
		t.regex(events, /running PreBind plugin "DynamicResources": device binding timeout: claim=c/);
		t.regex(events, /deallocation of ResourceClaim completed/);
		t.like((await waits(parts))[0], { status: 'timeout', value: 1 });
	});
});
