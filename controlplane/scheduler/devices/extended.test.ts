import test from 'ava';
// Loaded when it is wanted, which takes a moment that no virtual clock has.
import '../../../api/cel/device.ts';
import type { Container, DeviceClass, Pod, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { runningScheduler, type RunningScheduler } from '../../../test/fakes/running-scheduler.ts';
import { node, pod } from '../../../test/fakes/scheduling.ts';
import { nodeInfo } from '../node-info.ts';
import { podInfo } from '../pod-info.ts';
import { classFor, extendedClaimFor } from './extended.ts';

const GPU = 'example.com/gpu';
const CLAIMS = '/apis/resource.k8s.io/v1/resourceclaims';
const deviceClass = (name: string, extendedResourceName?: string, creationTimestamp = '2026-01-01T00:00:00Z'): DeviceClass => ({
	metadata: { name, creationTimestamp },
	spec: extendedResourceName === undefined ? {} : { extendedResourceName },
});
const container = (name: string, gpus: string, more: Partial<Container> = {}): Container => ({
	name,
	image: 'img',
	resources: { requests: { cpu: '1m', ...(gpus === '' ? {} : { [GPU]: gpus }) } },
	...more,
});

for (const [name, resource, classes, want] of [
	['by the name that the class gives', GPU, [deviceClass('a', GPU)], 'a'],
	['by the name of the class', 'deviceclass.resource.kubernetes.io/a', [deviceClass('a')], 'a'],
	['the newer of two', GPU, [deviceClass('a', GPU), deviceClass('b', GPU, '2026-02-01T00:00:00Z')], 'b'],
	['the first by name of two as old', GPU, [deviceClass('b', GPU), deviceClass('a', GPU)], 'a'],
	['none', GPU, [deviceClass('a')], undefined],
	['not what is no extended resource', 'cpu', [deviceClass('a', 'cpu')], undefined],
] as const)
	test(`classFor(): ${name}`, (t) => t.is(classFor(resource, classes)?.metadata.name, want));

/** "request: count" and "container -> request" of the claim that node "n1", which has none, must give. */
function claimed(spec: Pod['spec']): unknown {
	const made = extendedClaimFor(podInfo(pod('p', spec)), nodeInfo(node('n1'), []), (name) => classFor(name, [deviceClass('gpus', GPU)]));
	if (made === undefined || 'refused' in made) return made;
	return [
		...(made.claim.spec.devices?.requests ?? []).map((request) => `${request.name}: ${request.exactly?.count}`),
		...made.mappings.map(({ containerName, requestName }) => `${containerName} -> ${requestName}`),
	];
}

for (const [name, initContainers, containers, want] of [
	[
		'each container has its own',
		[],
		[container('a', '1'), container('b', ''), container('c', '2')],
		['container-0-request-1: 1', 'container-2-request-1: 2', 'a -> container-0-request-1', 'c -> container-2-request-1'],
	],
	[
		'an init container uses those of the containers after it',
		[container('i', '1')],
		[container('a', '1')],
		['container-1-request-1: 1', 'a -> container-1-request-1', 'i -> container-1-request-1'],
	],
	[
		'and more of its own',
		[container('i', '3')],
		[container('a', '1')],
		[
			'container-0-request-1: 2',
			'container-1-request-1: 1',
			'a -> container-1-request-1',
			'i -> container-1-request-1',
			'i -> container-0-request-1',
		],
	],
	[
		'init containers share what only they need',
		[container('i', '1'), container('j', '2')],
		[container('a', '')],
		['container-1-request-1: 2', 'i -> container-1-request-1', 'j -> container-1-request-1'],
	],
	[
		'a sidecar keeps its own',
		[container('s', '1', { restartPolicy: 'Always' }), container('i', '1')],
		[container('a', '')],
		['container-0-request-1: 1', 'container-1-request-1: 1', 's -> container-0-request-1', 'i -> container-1-request-1'],
	],
] as const)
	test(`extendedClaimFor(): ${name}`, (t) =>
		t.deepEqual(claimed({ initContainers: [...initContainers], containers: [...containers] }), want));

async function cluster({ transport: { api }, clock }: RunningScheduler, devices = 1): Promise<void> {
	api.create('/api/v1/nodes', node('n1'), undefined);
	api.create('/apis/resource.k8s.io/v1/deviceclasses', deviceClass('gpus', GPU) as never, undefined);
	const spec = {
		...{ driver: 'gpu.example.com', nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 } },
		devices: Array.from({ length: devices }, (_, i) => ({ name: `d${i}` })),
	};
	api.create('/apis/resource.k8s.io/v1/resourceslices', { metadata: { name: 's' }, spec } as never, undefined);
	await clock.advance(1000);
}

const claimsIn = ({ transport }: RunningScheduler) => transport.api.list(CLAIMS, () => true) as unknown as readonly ResourceResourceClaim[];
const podIn = ({ transport }: RunningScheduler, name: string): Pod => transport.api.get('/api/v1/pods', `default/${name}`) as Pod;
const asking = { containers: [container('c', '1')] };

test('a pod that asks for an extended resource of a class gets a claim of its own, and one that finds none left waits', async (t) => {
	await runningScheduler(async (parts) => {
		await cluster(parts);
		parts.transport.api.create('/api/v1/pods', pod('p', asking), 'default');
		await parts.clock.advance(5000);
		const [claim] = claimsIn(parts);
		t.regex(claim?.metadata.name ?? '', /^p-extended-resources-/);
		t.like(claim?.metadata, {
			annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
			ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: podIn(parts, 'p').metadata.uid, controller: true }],
			finalizers: ['resource.kubernetes.io/delete-protection'],
		});
		t.deepEqual(claim?.status?.allocation?.devices?.results, [
			{ request: 'container-0-request-1', driver: 'gpu.example.com', pool: 'n1', device: 'd0' },
		]);
		const { spec, status } = podIn(parts, 'p');
		t.is(spec?.nodeName, 'n1');
		t.deepEqual(status?.extendedResourceClaimStatus, {
			resourceClaimName: claim?.metadata.name ?? '',
			requestMappings: [{ containerName: 'c', resourceName: GPU, requestName: 'container-0-request-1' }],
		});
		parts.transport.api.create('/api/v1/pods', pod('q', asking), 'default');
		await parts.clock.advance(5000);
		t.is(podIn(parts, 'q').spec?.nodeName, undefined);
		t.regex(parts.events().join('\n'), /0\/1 nodes are available: 1 cannot allocate all claims. still not schedulable/);
		t.is(claimsIn(parts).length, 1);
	});
});

test('a claim for extended resources of a pod that is not bound goes', async (t) => {
	await runningScheduler(async (parts) => {
		await cluster(parts);
		let failures = 1;
		parts.transport.intercept = ({ method, subresource }) => {
			if (method === 'POST' && subresource === 'binding' && failures-- > 0) throw new Error('connection lost');
		};
		parts.transport.api.create('/api/v1/pods', pod('p', asking), 'default');
		await parts.clock.advance(500);
		t.deepEqual([failures, claimsIn(parts).length], [0, 0]);
		await parts.clock.advance(20_000);
		t.is(podIn(parts, 'p').spec?.nodeName, 'n1');
		t.is(claimsIn(parts).length, 1);
	});
});

test('a claim for extended resources that a scheduler left behind goes', async (t) => {
	await runningScheduler(async (parts) => {
		await cluster(parts, 0);
		parts.transport.api.create('/api/v1/pods', pod('p', asking), 'default');
		await parts.clock.advance(5000);
		const { uid } = podIn(parts, 'p').metadata;
		const metadata = {
			...{ name: 'left', annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' } },
			ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }],
		};
		parts.transport.api.create(CLAIMS, { metadata, spec: { devices: { requests: [] } } } as never, 'default');
		await parts.clock.advance(20_000);
		t.regex(parts.events().join('\n'), /1 cannot schedule extended resource claim. deletion of ResourceClaim completed/);
		t.deepEqual(claimsIn(parts), []);
	});
});
