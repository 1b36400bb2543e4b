/** What may not change may be said in another form: amounts are compared by what they are. */
import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateUpdate } from './validation.ts';

const container = (memory: string): object => ({
	...{ name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' },
	resources: { requests: { memory } },
});
const pod = (memory: string, restartPolicy = 'Always'): object => ({
	containers: [container(memory)],
	restartPolicy,
	dnsPolicy: 'ClusterFirst',
});
const claim = (storage: string): object => ({
	accessModes: ['ReadWriteOnce'],
	volumeMode: 'Filesystem',
	resources: { requests: { storage } },
});
const labels = { 'controller-uid': 'u', 'job-name': 'a', 'batch.kubernetes.io/controller-uid': 'u', 'batch.kubernetes.io/job-name': 'a' };
const exactly = (storage: string): object => ({
	...{ deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 },
	capacity: { requests: { 'a.b/storage': storage } },
});

const SPECS: readonly (readonly [group: string, kind: string, spec: (amount: string) => object])[] = [
	['', 'PersistentVolumeClaim', claim],
	['', 'Pod', (amount) => ({ ...pod(amount), serviceAccountName: 'a' })],
	[
		'apps',
		'StatefulSet',
		(amount) => ({
			...{ podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' }, selector: { matchLabels: { a: 'b' } } },
			template: { metadata: { labels: { a: 'b' } }, spec: pod('1') },
			volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: claim(amount) }],
		}),
	],
	[
		'batch',
		'Job',
		(amount) => ({
			...{ parallelism: 1, completions: 1, completionMode: 'NonIndexed' },
			selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
			template: { metadata: { labels }, spec: pod(amount, 'Never') },
		}),
	],
	['resource.k8s.io', 'ResourceClaim', (amount) => ({ devices: { requests: [{ name: 'r', exactly: exactly(amount) }] } })],
	[
		'resource.k8s.io',
		'ResourceClaimTemplate',
		(amount) => ({ spec: { devices: { requests: [{ name: 'r', exactly: exactly(amount) }] } } }),
	],
];

for (const [group, kind, spec] of SPECS)
	for (const [amount, isAllowed] of [
		['1073741824', true],
		['1024Mi', true],
		['1G', false],
	] as const)
		test(`${kind}: 1Gi ${isAllowed ? 'may be written as' : 'may not become'} ${amount}`, (t) => {
			const made = (given: string): KubeObject =>
				({
					metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' },
					spec: spec(given),
					status: {},
				}) as unknown as KubeObject;
			const errors = validateUpdate(group, 'v1', kind, made(amount), made('1Gi'), true).map(({ field, message }) => `${field}: ${message}`);
			if (isAllowed) t.deepEqual(errors, []);
			else t.regex(errors.join('\n'), /^spec/);
		});
