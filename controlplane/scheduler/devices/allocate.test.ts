import test from 'ava';
import type { Device, DeviceClaim, DeviceClass, ExactDeviceRequest, ResourceSlice } from '../../../api/gen/types.ts';
import { deviceMatch } from '../../../api/cel/device.ts';
import { node } from '../../../test/fakes/scheduling.ts';
import { allocate } from './allocate.ts';
import { givenOf } from './needs.ts';
import { indexSlices } from './pools.ts';

const DRIVER = 'gpu.example.com';
const CLASS: DeviceClass = {
	metadata: { name: 'gpu' },
	spec: { config: [{ opaque: { driver: DRIVER, parameters: { of: 'class' } } }] } as DeviceClass['spec'],
};

function slice(name: string, devices: readonly Partial<Device>[], more: Partial<ResourceSlice['spec']> = {}): ResourceSlice {
	const pool = { name: 'pool', generation: 1, resourceSliceCount: 1, ...more.pool };
	const where = more.allNodes === true || more.nodeSelector !== undefined || more.perDeviceNodeSelection === true ? {} : { nodeName: 'n1' };
	return { metadata: { name }, spec: { driver: DRIVER, ...where, devices: devices as Device[], ...more, pool } };
}

const asking = (name: string, more: Partial<ExactDeviceRequest> = {}) => ({
	name,
	exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', ...(more.allocationMode === 'All' ? {} : { count: 1 }), ...more },
});

type Results = readonly { readonly request: string; readonly driver: string; readonly pool: string; readonly device: string }[];

function given(claim: DeviceClaim, slices: readonly ResourceSlice[], before: readonly object[] = []) {
	const results = before.map((one) => ({ request: 'r', driver: DRIVER, pool: 'pool', ...one })) as unknown as Results;
	const deps = {
		given: givenOf([{ devices: { results: [...results] } }]),
		deviceClass: (name: string) => (name === 'gpu' ? CLASS : undefined),
		matches: (expression: string, d: { readonly driver: string; readonly device: Device }) => deviceMatch(expression)(d.driver, d.device),
		isLate: () => false,
	};
	return allocate([{ metadata: { name: 'c', namespace: 'default' }, spec: { devices: claim } }], node('n1'), indexSlices(slices), deps);
}

function names(...args: Parameters<typeof given>): readonly string[] | string {
	const found = given(...args);
	return 'refused' in found ? found.refused : (found[0]?.devices?.results ?? []).map(({ device }) => device);
}

const uses = (memory: string) => [{ counterSet: 'card', counters: { memory: { value: memory } } }];
const card = (of: string) =>
	slice('counters', [], {
		devices: [],
		sharedCounters: [{ name: 'card', counters: { memory: { value: of } } }],
		pool: { name: 'pool', generation: 1, resourceSliceCount: 2 },
	});
const partitions = (...memory: readonly string[]) =>
	slice(
		'devices',
		memory.map((amount, i) => ({ name: `p${i}`, consumesCounters: uses(amount) })),
		{ pool: { name: 'pool', generation: 1, resourceSliceCount: 2 } },
	);
const two = { requests: [asking('r', { count: 2 })] };
const shared = (capacity: Device['capacity']): Partial<Device> => ({ name: 'nic', allowMultipleAllocations: true, capacity });
const share = (bandwidth: string) => ({ device: 'nic', shareID: 's', consumedCapacity: { bandwidth } });
const wanting = (bandwidth: string) => ({ requests: [asking('r', { capacity: { requests: { bandwidth } } })] });
const RANGE = { default: '1', validRange: { min: '2', max: '8', step: '2' } };

for (const [name, claim, slices, before, want] of [
	['partitions that a card has room for', two, [card('40Gi'), partitions('30Gi', '20Gi', '10Gi')], [], ['p0', 'p2']],
	[
		'a partition beside one that is given',
		{ requests: [asking('r')] },
		[card('40Gi'), partitions('30Gi', '20Gi', '10Gi')],
		[{ device: 'p1' }],
		['p2'],
	],
	[
		'partitions of a card that is full',
		two,
		[card('40Gi'), partitions('30Gi', '20Gi', '20Gi')],
		[{ device: 'p1' }],
		'cannot allocate all claims',
	],
	[
		'partitions of no card',
		two,
		[
			card('40Gi'),
			slice('devices', [{ name: 'p', consumesCounters: [{ counterSet: 'none', counters: {} }] }], {
				pool: { name: 'pool', generation: 1, resourceSliceCount: 2 },
			}),
		],
		[],
		'invalid resource pools were encountered',
	],
	['a name that is there twice', two, [slice('a', [{ name: 'd' }, { name: 'd' }])], [], 'invalid resource pools were encountered'],
	['a share of what is left', wanting('4'), [slice('a', [shared({ bandwidth: { value: '10' } })])], [share('6')], ['nic']],
	[
		'a share of too little',
		wanting('5'),
		[slice('a', [shared({ bandwidth: { value: '10' } })])],
		[share('6')],
		'cannot allocate all claims',
	],
	[
		'a capacity that there is not',
		{ requests: [asking('r', { capacity: { requests: { none: '1' } } })] },
		[slice('a', [shared({ bandwidth: { value: '10' } })])],
		[],
		'cannot allocate all claims',
	],
	[
		'more than the policy allows',
		wanting('9'),
		[slice('a', [shared({ bandwidth: { value: '10', requestPolicy: RANGE } })])],
		[],
		'cannot allocate all claims',
	],
	[
		'two shares at once',
		{ requests: [wanting('5').requests[0] ?? asking('r'), asking('s', { capacity: { requests: { bandwidth: '5' } } })] },
		[slice('a', [shared({ bandwidth: { value: '10' } })])],
		[],
		['nic', 'nic'],
	],
	[
		'slices in the order of their names',
		two,
		[
			slice('b', [{ name: 'd0' }], { pool: { name: 'pool', generation: 1, resourceSliceCount: 2 } }),
			slice('a', [{ name: 'd1' }], { pool: { name: 'pool', generation: 1, resourceSliceCount: 2 } }),
		],
		[],
		['d1', 'd0'],
	],
	[
		'pools of devices that must be bound first last',
		{ requests: [asking('r')] },
		[
			slice('a', [{ name: 'slow', bindingConditions: ['Ready'] }], { pool: { name: 'a', generation: 1, resourceSliceCount: 1 } }),
			slice('b', [{ name: 'quick' }], { pool: { name: 'b', generation: 1, resourceSliceCount: 1 } }),
		],
		[],
		['quick'],
	],
	[
		'devices that say themselves where they are',
		two,
		[
			slice(
				'a',
				[
					{ name: 'd0', nodeName: 'n2' },
					{ name: 'd1', nodeName: 'n1' },
					{ name: 'd2', allNodes: true },
				],
				{ perDeviceNodeSelection: true },
			),
		],
		[],
		['d1', 'd2'],
	],
	[
		'what an administrator looks at, not twice in one claim',
		{ requests: [asking('r', { adminAccess: true, count: 2 })] },
		[slice('a', [{ name: 'd0' }])],
		[{ device: 'd0' }],
		'cannot allocate all claims',
	],
	[
		'a device whose selector fails but that is not needed',
		{ requests: [asking('r', { selectors: [{ cel: { expression: `device.attributes['${DRIVER}'].a == 1` } }] })] },
		[slice('a', [{ name: 'd0', attributes: { a: { int: 1 } } }, { name: 'd1' }])],
		[],
		['d0'],
	],
] as const satisfies readonly (readonly [string, DeviceClaim, readonly ResourceSlice[], readonly object[], readonly string[] | string])[])
	test(`allocate(): ${name}`, (t) => t.deepEqual(names(claim, slices, before), want));

for (const [name, claim, slices, message] of [
	[
		'more devices than a claim may have',
		{ requests: [asking('r', { count: 17 }), asking('s', { count: 16 })] },
		[],
		'claim default/c: number of requested devices 33 exceeds the claim limit of 32',
	],
	[
		'all of a pool that is not whole',
		{ requests: [asking('r', { allocationMode: 'All' })] },
		[slice('a', [], { pool: { name: 'pool', generation: 1, resourceSliceCount: 2 } })],
		`claim default/c, request r: asks for all devices, but resource pool ${DRIVER}/pool is currently being updated`,
	],
	[
		'all of a pool that is wrong',
		{ requests: [asking('r', { allocationMode: 'All' })] },
		[slice('a', [{ name: 'd' }, { name: 'd' }])],
		`claim default/c, request r: asks for all devices, but resource pool ${DRIVER}/pool is currently invalid`,
	],
	[
		'all that must be alike and are not',
		{ requests: [asking('r', { allocationMode: 'All' })], constraints: [{ matchAttribute: `${DRIVER}/a` }] },
		[
			slice('a', [
				{ name: 'd0', attributes: { a: { int: 1 } } },
				{ name: 'd1', attributes: { a: { string: '1' } } },
			]),
		],
		`claim default/c, request r: cannot add device ${DRIVER}/pool/d1 because a claim constraint would not be satisfied`,
	],
	[
		'a selector that fails',
		{ requests: [asking('r', { selectors: [{ cel: { expression: `device.attributes['${DRIVER}'].a == 1` } }] })] },
		[slice('a', [{ name: 'd' }])],
		'claim default/c: selector #0: CEL runtime error: no such key: a',
	],
] as const satisfies readonly (readonly [string, DeviceClaim, readonly ResourceSlice[], string])[])
	test(`allocate(): refused: ${name}`, (t) => {
		t.throws(() => given(claim, slices), { message });
	});

test('allocate(): what a claim is told of a share: rounded up, with an id of its own', (t) => {
	const found = given(wanting('3'), [slice('a', [shared({ bandwidth: { value: '10', requestPolicy: RANGE }, ports: { value: '2Ki' } })])]);
	const [result] = 'refused' in found ? [] : (found[0]?.devices?.results ?? []);
	t.deepEqual(result?.consumedCapacity, { bandwidth: '4', ports: '2Ki' });
	t.regex(result?.shareID ?? '', /^[0-9a-f]{8}-/);
});

test('allocate(): nodes that can reach the devices, what devices wait for, and whose settings they get', (t) => {
	const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }] };
	const slices = [
		slice('a', [{ name: 'd0', bindingConditions: ['Ready'], bindingFailureConditions: ['Broken'] }], { nodeSelector }),
		slice('b', [{ name: 'd1' }], { allNodes: true, pool: { name: 'other', generation: 1, resourceSliceCount: 1 } }),
	];
	const own = { opaque: { driver: DRIVER, parameters: { of: 'claim' } } };
	const claim = { requests: [asking('r'), asking('s')], config: [{ requests: ['s'], ...own }] } as unknown as DeviceClaim;
	const found = given(claim, slices);
	t.deepEqual('refused' in found ? found : found[0], {
		devices: {
			results: [
				{ request: 'r', driver: DRIVER, pool: 'other', device: 'd1' },
				{ request: 's', driver: DRIVER, pool: 'pool', device: 'd0', bindingConditions: ['Ready'], bindingFailureConditions: ['Broken'] },
			],
			config: [
				{ source: 'FromClass', requests: ['r', 's'], ...CLASS.spec.config?.[0] },
				{ source: 'FromClaim', requests: ['s'], ...own },
			],
		},
		nodeSelector,
	});
	const bound = given(claim, [slice('a', [{ name: 'd0', bindsToNode: true }, { name: 'd1' }], { nodeSelector })]);
	t.deepEqual('refused' in bound ? bound : bound[0]?.nodeSelector, {
		nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
	});
});
