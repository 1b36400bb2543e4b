/** Scores of nodes by the devices that stand for extended resources. */
import test from 'ava';
import type { AllocationResult, DeviceClass, ResourceSlice } from '../../../api/gen/types.ts';
import { node, noDevices, pod } from '../../../test/fakes/scheduling.ts';
import { indexSlices } from '../devices/pools.ts';
import type { DevicesView } from '../devices/view.ts';
import { nodeInfo } from '../node-info.ts';
import { podInfo } from '../pod-info.ts';
import { DEFAULT_ARGS } from '../plugin-args.ts';
import { resourcesScore } from './node-resources-fit.ts';

const GPU = 'example.com/gpu';
const gpuClass = { metadata: { name: 'gpu' }, spec: { extendedResourceName: GPU } } as DeviceClass;
const big = { metadata: { name: 'big' }, spec: { selectors: [{ cel: { expression: 'big' } }] } } as DeviceClass;

const slice = (name: string, devices: readonly object[], where: object): ResourceSlice =>
	({
		metadata: { name },
		spec: { driver: 'd.io', pool: { name, generation: 1, resourceSliceCount: 1 }, devices, ...where },
	}) as unknown as ResourceSlice;
const SLICES = [
	slice('n1', [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'big-d' }], { nodeName: 'n1' }),
	slice('n2', [{ name: 'a' }, { name: 'big-b' }], { nodeName: 'n2' }),
	slice(
		'each',
		[
			{ name: 'x', nodeName: 'n2' },
			{ name: 'y', allNodes: true },
		],
		{ perDeviceNodeSelection: true },
	),
];
const allocations = [{ devices: { results: [{ request: 'r', driver: 'd.io', pool: 'n2', device: 'a' }] } }] as readonly AllocationResult[];
const view = (deviceClass: DeviceClass): DevicesView => ({
	...noDevices,
	classFor: (resource) => (resource === GPU ? deviceClass : undefined),
	slices: () => indexSlices(SLICES),
	allocations: () => allocations,
	matches:
		() =>
		(expression, { device }) => {
			if (expression === 'big') return device.name.startsWith('big');
			throw new Error('no such expression');
		},
});

const strategy = { type: 'LeastAllocated', resources: [{ name: GPU, weight: 1 }] } as const;
const asking = podInfo(
	pod('p', { containers: [{ name: 'c', image: 'i', resources: { requests: { [GPU]: '1' }, limits: { [GPU]: '1' } } }] }),
);

function scores(devices: DevicesView, own = false): readonly unknown[] {
	const nodes = ['n1', 'n2'].map((name) => {
		const made = node(name);
		return nodeInfo(own ? { ...made, status: { ...made.status, allocatable: { ...made.status?.allocatable, [GPU]: '2' } } } : made, []);
	});
	const args = { ...DEFAULT_ARGS.NodeResourcesFit, scoringStrategy: strategy };
	const score = resourcesScore(args, devices).prepare(asking, { nodes, namespaceLabels: () => ({}) }, nodes);
	return typeof score === 'function' ? nodes.map(score) : [score];
}

for (const [name, devices, own, want] of [
	// One of five and two of four.
	['all devices of the class', view(gpuClass), false, [80, 50]],
	['those that its selectors choose', view(big), false, [0, 0]],
	['a selector that fails', view({ ...big, spec: { selectors: [{ cel: { expression: 'other' } }] } } as DeviceClass), false, [0, 0]],
	['a node with some of its own', view(gpuClass), true, [50, 50]],
	['no class', { ...view(gpuClass), classFor: () => undefined }, false, [0, 0]],
] as const)
	test(`NodeResourcesFit scores by devices: ${name}`, (t) => t.deepEqual(scores(devices, own), [...want]));

test('what is left of the devices counts for those of the class alone', (t) => {
	const more = [...SLICES, slice('m', [{ name: 'big-1' }, { name: 'big-2' }, { name: 'big-3' }], { nodeName: 'n1' })];
	t.deepEqual(scores({ ...view(big), slices: () => indexSlices(more) }), [75, 0]);
});
