import test from 'ava';
import type {
	Device,
	DeviceClaim,
	DeviceClass,
	DeviceRequest,
	ExactDeviceRequest,
	Pod,
	ResourceResourceClaim,
	ResourceSlice,
} from '../../../api/gen/types.ts';
import { deviceMatch } from '../../../api/cel/device.ts';
import { runningScheduler, type RunningScheduler } from '../../../test/fakes/running-scheduler.ts';
import { node, pod } from '../../../test/fakes/scheduling.ts';
import { claim as volumeClaim, using, volume, wait } from '../../../test/fakes/waiting-storage.ts';
import { allocate } from './allocate.ts';
import { indexSlices, poolsOf } from './pools.ts';

const DRIVER = 'gpu.example.com';
const GPU = { metadata: { name: 'gpu' }, spec: { selectors: [{ cel: { expression: `device.driver == '${DRIVER}'` } }] } };

const gpu = (name: string, more: Partial<Device> = {}, numa = 0): Device => ({
	name,
	attributes: { numa: { int: numa }, model: { string: name.startsWith('big') ? 'big' : 'small' }, driverVersion: { version: '1.2.3' } },
	capacity: { memory: { value: name.startsWith('big') ? '40Gi' : '10Gi' } },
	...more,
});

function slice(devices: Device[], more: Partial<ResourceSlice['spec']> = {}): ResourceSlice {
	const pool = { name: more.nodeName ?? 'n1', generation: 1, resourceSliceCount: 1 };
	return { metadata: { name: 's' }, spec: { driver: DRIVER, nodeName: 'n1', pool, devices, ...more } };
}

const SLICE = slice([gpu('a'), gpu('b', {}, 1), gpu('big', {}, 1), gpu('c')]);

const asking = (name: string, more: Partial<ExactDeviceRequest> = {}) => ({
	name,
	exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', ...(more.allocationMode === 'All' ? {} : { count: 1 }), ...more },
});
const claimOf = (devices: DeviceClaim): ResourceResourceClaim => ({ metadata: { name: 'claim', namespace: 'default' }, spec: { devices } });
const cel = (expression: string) => [{ cel: { expression } }];

function given(
	devices: DeviceClaim,
	used: readonly string[] = [],
	slices: readonly ResourceSlice[] = [SLICE],
	deviceClass: DeviceClass = GPU,
): unknown {
	const deps = {
		given: { whole: new Set(used.map((name) => `${DRIVER}/n1/${name}`)), shared: new Set<string>(), capacity: new Map() },
		deviceClass: (name: string) => (name === 'gpu' ? deviceClass : undefined),
		matches: (expression: string, d: { readonly driver: string; readonly device: Device }) => deviceMatch(expression)(d.driver, d.device),
		isLate: () => false,
	};
	const found = allocate([claimOf(devices)], node('n1'), indexSlices(slices), deps);
	return 'refused' in found ? undefined : found[0]?.devices?.results?.map(({ request, device }) => `${request}: ${device}`);
}

for (const [name, claim, used, want] of [
	['the first that is free', { requests: [asking('r')] }, ['a'], ['r: b']],
	['as many as are asked for', { requests: [asking('r', { count: 3 })] }, [], ['r: a', 'r: b', 'r: big']],
	['too many', { requests: [asking('r', { count: 4 })] }, ['c'], undefined],
	['all', { requests: [asking('r', { allocationMode: 'All' })] }, [], ['r: a', 'r: b', 'r: big', 'r: c']],
	['all, of which one is used', { requests: [asking('r', { allocationMode: 'All' })] }, ['c'], undefined],
	[
		'all, by an administrator, used or not',
		{ requests: [asking('r', { allocationMode: 'All', adminAccess: true })] },
		['a', 'c'],
		['r: a', 'r: b', 'r: big', 'r: c'],
	],
	['by attribute', { requests: [asking('r', { selectors: cel(`device.attributes['${DRIVER}'].model == 'big'`) })] }, [], ['r: big']],
	[
		'by capacity',
		{ requests: [asking('r', { selectors: cel(`device.capacity['${DRIVER}'].memory.isGreaterThan(quantity('20Gi'))`) })] },
		[],
		['r: big'],
	],
	[
		'by version',
		{ requests: [asking('r', { selectors: cel(`device.attributes['${DRIVER}'].driverVersion.isLessThan(semver('1.0.0'))`) })] },
		[],
		undefined,
	],
	[
		'a domain that is not there is empty',
		{ requests: [asking('r', { selectors: cel(`!('x' in device.attributes['other.example.com'])`) })] },
		[],
		['r: a'],
	],
	['a domain that is there is found', { requests: [asking('r', { selectors: cel(`'${DRIVER}' in device.attributes`) })] }, [], ['r: a']],
	[
		'a domain that is not there is not found',
		{ requests: [asking('r', { selectors: cel(`'other.example.com' in device.attributes`) })] },
		[],
		undefined,
	],
	[
		'two that must be alike, not the first two',
		{ requests: [asking('r'), asking('s')], constraints: [{ matchAttribute: `${DRIVER}/numa` }] },
		[],
		['r: a', 's: c'],
	],
	[
		'two that must differ',
		{ requests: [asking('r', { count: 2 })], constraints: [{ distinctAttribute: `${DRIVER}/model` }] },
		[],
		['r: a', 'r: big'],
	],
	[
		'the first alternative that there is',
		{
			requests: [
				{
					name: 'r',
					firstAvailable: [
						{ name: 'two-big', deviceClassName: 'gpu', count: 2, selectors: cel(`device.attributes['${DRIVER}'].model == 'big'`) },
						{ name: 'any', deviceClassName: 'gpu' },
					],
				},
			],
		},
		[],
		['r/any: a'],
	],
] satisfies readonly (readonly [string, DeviceClaim, readonly string[], readonly string[] | undefined])[])
	test(`allocate(): ${name}`, (t) => t.deepEqual(given(claim, used), want));

const MANY = slice([gpu('big'), ...Array.from({ length: 64 }, (_, i) => gpu(`vf${i}`))]);
const one = (name: string) => asking(name, { selectors: cel(`device.attributes['${DRIVER}'].model == 'big'`) });

for (const [name, requests, used, want] of [
	['there is nothing for the next request', [asking('r', { count: 8 }), one('s')], ['big'], undefined],
	[
		'the next request is for all of none',
		[asking('r', { count: 8 }), asking('s', { allocationMode: 'All', selectors: cel('false') })],
		[],
		undefined,
	],
	['there is nothing for the request after the next', [asking('r', { count: 8 }), asking('s'), one('t')], ['big'], undefined],
	[
		'the first request took what the last wants',
		[asking('r'), asking('s', { count: 2 }), one('t')],
		[],
		['r: vf0', 's: vf1', 's: vf2', 't: big'],
	],
] satisfies readonly (readonly [string, readonly DeviceRequest[], readonly string[], readonly string[] | undefined])[])
	test(`allocate(): not all sets of many devices are tried where ${name}`, (t) =>
		t.deepEqual(given({ requests: [...requests] }, used, [MANY]), want));

test('allocate(): a search that takes too long is given up', (t) => {
	t.throws(
		() =>
			given(
				{
					requests: [asking('r', { count: 16 }), asking('s', { count: 16 })],
					constraints: [{ requests: ['s'], matchAttribute: `${DRIVER}/none` }],
				},
				[],
				[MANY],
			),
		{
			code: 'DeadlineExceeded',
			message: 'timed out trying to allocate devices',
		},
	);
});

test('allocate(): tainted devices are for those that tolerate it; a class that there is none of, an attribute that is missing and one without a value are told', (t) => {
	const tainted = slice([gpu('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })]);
	t.is(given({ requests: [asking('r')] }, [], [tainted]), undefined);
	t.deepEqual(given({ requests: [asking('r', { tolerations: [{ key: 'k', operator: 'Exists' }] })] }, [], [tainted]), ['r: a']);
	t.throws(() => given({ requests: [asking('r', { deviceClassName: 'none' })] }), { message: /could not retrieve device class none/ });
	t.throws(() => given({ requests: [asking('r', { selectors: cel(`device.attributes['${DRIVER}'].nothing == 1`) })] }), {
		message: /no such key: nothing/,
	});
	const valueless = slice([gpu('a', { attributes: { lists: { strings: ['a'] } } })]);
	t.throws(() => given({ requests: [asking('r', { selectors: cel('true') })] }, [], [valueless]), {
		message: /unsupported attribute value/,
	});
});

for (const [name, slices, want] of [
	['of this node', [SLICE], 4],
	['of another', [slice([gpu('a')], { nodeName: 'n2' })], 0],
	['of all', [slice([gpu('a')], { nodeName: undefined, allNodes: true })], 1],
	['of a pool of which a slice is missing', [slice([gpu('a')], { pool: { name: 'n1', generation: 1, resourceSliceCount: 2 } })], 0],
	['of an older generation', [SLICE, slice([gpu('a')], { pool: { name: 'n1', generation: 2, resourceSliceCount: 1 } })], 1],
	['that draw on counters that there are not', [slice([gpu('a', { consumesCounters: [{ counterSet: 's', counters: {} }] })])], 0],
] as const)
	test(`poolsOf(): devices ${name}`, (t) => t.is(poolsOf(node('n1'), indexSlices(slices)).flatMap(({ devices }) => devices).length, want));

const CLAIMS = '/apis/resource.k8s.io/v1/resourceclaims';

function cluster({ transport }: RunningScheduler): void {
	for (const name of ['n1', 'n2']) transport.api.create('/api/v1/nodes', node(name), undefined);
	transport.api.create('/apis/resource.k8s.io/v1/deviceclasses', GPU as never, undefined);
	transport.api.create('/apis/resource.k8s.io/v1/resourceslices', slice([gpu('a')], { nodeName: 'n2' }) as never, undefined);
}

test('pods go where their devices are; one that must wait gets them when they are free', async (t) => {
	await runningScheduler(async (parts) => {
		const { clock, transport, events } = parts;
		cluster(parts);
		const using = (claim: string) => ({ resourceClaims: [{ name: 'local', resourceClaimName: claim }] });
		const nodeOf = (name: string): string | undefined => (transport.api.get('/api/v1/pods', `default/${name}`) as Pod).spec?.nodeName;
		const claim = (name: string): ResourceResourceClaim => transport.api.get(CLAIMS, `default/${name}`) as ResourceResourceClaim;
		transport.api.create('/api/v1/pods', pod('early', using('one')), 'default');
		await clock.advance(1000);
		t.is(nodeOf('early'), undefined);
		t.regex(events().join('\n'), /resourceclaim.resource.k8s.io "one" not found/);
		for (const name of ['one', 'two'])
			transport.api.create(CLAIMS, { ...claimOf({ requests: [asking('r')] }), metadata: { name } } as never, 'default');
		await clock.advance(5000);
		t.is(nodeOf('early'), 'n2');
		const { metadata, status } = claim('one');
		t.deepEqual(metadata.finalizers, ['resource.kubernetes.io/delete-protection']);
		t.deepEqual(status?.allocation, {
			allocationTimestamp: '2026-01-01T00:00:03Z',
			devices: { results: [{ request: 'r', driver: DRIVER, pool: 'n2', device: 'a' }] },
			nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }] },
		});
		t.like(status?.reservedFor, [{ resource: 'pods', name: 'early' }]);
		transport.api.create('/api/v1/pods', pod('shares', using('one')), 'default');
		transport.api.create('/api/v1/pods', pod('waits', using('two')), 'default');
		await clock.advance(5000);
		t.is(nodeOf('shares'), 'n2');
		t.deepEqual(
			claim('one').status?.reservedFor?.map(({ name }) => name),
			['early', 'shares'],
		);
		t.is(nodeOf('waits'), undefined);
		t.regex(events().join('\n'), /0\/2 nodes are available: 2 cannot allocate all claims/);
		transport.api.update(CLAIMS, 'default/one', { ...claim('one'), status: {} } as never);
		await clock.advance(20_000);
		t.is(nodeOf('waits'), 'n2');
	});
});

for (const [name, refused, plugin, counted] of [
	['claim', CLAIMS, 'DynamicResources', 0],
	['volume', '/api/v1/persistentvolumes', 'VolumeBinding', 1],
] as const)
	test(`a pod whose ${name} could not be written is told so, and tried again with all devices`, async (t) => {
		await runningScheduler(async (parts) => {
			const { clock, transport, events, metrics } = parts;
			const { api } = transport;
			cluster(parts);
			let failures = 1;
			transport.intercept = ({ method, collection }) => {
				if (method === 'PUT' && collection === refused && failures-- > 0) throw new Error('connection lost');
			};
			api.create('/apis/storage.k8s.io/v1/storageclasses', wait, undefined);
			api.create('/api/v1/persistentvolumes', volume('v') as never, undefined);
			api.create('/api/v1/persistentvolumeclaims', volumeClaim('x') as never, 'default');
			api.create(CLAIMS, { ...claimOf({ requests: [asking('r')] }), metadata: { name: 'one' } } as never, 'default');
			const resourceClaims = [{ name: 'local', resourceClaimName: 'one' }];
			api.create('/api/v1/pods', pod('p', { ...(name === 'volume' ? using('x').spec : {}), resourceClaims }), 'default');
			await clock.advance(20_000);
			t.true(failures < 0);
			t.regex(events().join('\n'), new RegExp(`FailedScheduling: running PreBind plugin "${plugin}": .*connection lost`));
			const failed = await metrics.getSingleMetric('scheduler_volume_scheduling_stage_error_total')?.get();
			t.is(failed?.values[0]?.value ?? 0, counted);
			const { spec, status } = api.get('/api/v1/pods', 'default/p') as Pod;
			t.is(spec?.nodeName ?? status?.nominatedNodeName, 'n2');
		});
	});

interface Holds {
	readonly p: PromiseWithResolvers<void>;
	readonly q: PromiseWithResolvers<void>;
	/** Of the claim's status. */
	readonly status: PromiseWithResolvers<void>;
}

/** Two pods share a claim; what is done before each of them is bound waits for a word. */
async function sharing(body: (parts: RunningScheduler, holds: Holds) => Promise<void>): Promise<void> {
	await runningScheduler(async (parts) => {
		const { clock, transport } = parts;
		cluster(parts);
		const holds: Holds = { p: Promise.withResolvers(), q: Promise.withResolvers(), status: Promise.withResolvers() };
		transport.intercept = ({ method, collection, name, subresource, body: sent }) => {
			if (method === 'PATCH' && collection === '/api/v1/pods' && (name === 'p' || name === 'q')) return holds[name].promise;
			if (method !== 'PUT' || collection !== CLAIMS) return;
			if (subresource === 'status') return holds.status.promise;
			// As the API server does, which takes a status by its subresource alone.
			delete (sent as ResourceResourceClaim).status;
		};
		for (const name of ['one', 'two'])
			transport.api.create(CLAIMS, { ...claimOf({ requests: [asking('r')] }), metadata: { name } } as never, 'default');
		for (const name of ['p', 'q']) {
			transport.api.create('/api/v1/pods', pod(name, { resourceClaims: [{ name: 'local', resourceClaimName: 'one' }] }), 'default');
			await clock.advance(5000);
		}
		await body(parts, holds);
	});
}

test('who writes the allocation that another pod was given first protects the claim as well', async (t) => {
	await sharing(async ({ clock, transport }, { p, q, status: written }) => {
		written.resolve();
		q.resolve();
		await clock.advance(100);
		const { metadata, status } = transport.api.get(CLAIMS, 'default/one') as ResourceResourceClaim;
		t.deepEqual(
			status?.reservedFor?.map(({ name }) => name),
			['p', 'q'],
		);
		t.deepEqual(metadata.finalizers, ['resource.kubernetes.io/delete-protection']);
		p.resolve();
		await clock.advance(20_000);
		for (const name of ['p', 'q']) t.is((transport.api.get('/api/v1/pods', `default/${name}`) as Pod).spec?.nodeName, 'n2');
	});
});

test('a pod that is not bound leaves the devices to those that share its claim', async (t) => {
	await sharing(async ({ clock, transport }, { p, q, status }) => {
		const allocationOf = (name: string): unknown =>
			(transport.api.get(CLAIMS, `default/${name}`) as ResourceResourceClaim).status?.allocation?.devices?.results?.[0]?.device;
		p.reject(new Error('connection lost'));
		await clock.advance(100);
		transport.api.create('/api/v1/pods', pod('other', { resourceClaims: [{ name: 'local', resourceClaimName: 'two' }] }), 'default');
		await clock.advance(100);
		q.resolve();
		await clock.advance(20_000);
		status.resolve();
		await clock.advance(20_000);
		t.deepEqual([allocationOf('one'), allocationOf('two')], ['a', undefined]);
		t.is((transport.api.get('/api/v1/pods', 'default/q') as Pod).spec?.nodeName, 'n2');
	});
});
