/** The pure rules of pods, as tables. */
import test from 'ava';
import type { Container, Node, Pod, PodSpec, Taint, Toleration } from '../gen/types.ts';
import { resourceList } from './amounts.ts';
import { isAvailable, isReady } from './conditions.ts';
import { shortages } from './fit.ts';
import { hostPorts, portsClash } from './host-ports.ts';
import { matchesNode } from './node-affinity.ts';
import { isActive } from './phase.ts';
import { qosClass, type QosClass } from './qos.ts';
import { podLimits, podRequests } from './resources.ts';
import { tolerates } from './tolerations.ts';

const container = (requests: Record<string, string>, limits: Record<string, string> = {}, more: Partial<Container> = {}): Container => ({
	name: 'c',
	resources: { requests, limits },
	...more,
});
const pod = (spec: Partial<PodSpec>, more: Partial<Pod> = {}): Pod => ({
	metadata: { name: 'p', uid: 'p' },
	spec: { containers: [], ...spec },
	...more,
});

const amounts: readonly (readonly [rule: string, pod: Pod, requests: Record<string, string>, limits: Record<string, string>])[] = [
	[
		'containers add up',
		pod({ containers: [container({ cpu: '100m' }, { cpu: '1' }), container({ cpu: '0.2', memory: '1Gi' })] }),
		{ cpu: '300m', memory: '1Gi' },
		{ cpu: '1' },
	],
	[
		'an init container counts where it is more',
		pod({ containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '2', memory: '1Mi' })] }),
		{ cpu: '2', memory: '1Mi' },
		{},
	],
	[
		'a sidecar runs beside the init containers after it, and beside the containers',
		pod({
			containers: [container({ cpu: '1' })],
			initContainers: [container({ cpu: '1' }, {}, { restartPolicy: 'Always' }), container({ cpu: '3' })],
		}),
		{ cpu: '4' },
		{},
	],
	[
		'overhead adds to requests, and to the limits that there are',
		pod({ containers: [container({ cpu: '1' }, { cpu: '2' })], overhead: { cpu: '250m', memory: '64Mi' } }),
		{ cpu: '1250m', memory: '64Mi' },
		{ cpu: '2250m' },
	],
	[
		'a pod may speak for its containers',
		pod({ containers: [container({ cpu: '1', 'x.io/y': '1' })], resources: { requests: { cpu: '5' } } }),
		{ cpu: '5', 'x.io/y': '1' },
		{},
	],
];
for (const [rule, of, requests, limits] of amounts)
	test(`amounts: ${rule}`, (t) => {
		t.deepEqual(resourceList(podRequests(of)), requests);
		t.deepEqual(resourceList(podLimits(of)), limits);
	});

const both = { cpu: '1', memory: '1Gi' };
const classes: readonly (readonly [rule: string, pod: Pod, qos: QosClass])[] = [
	['nothing said', pod({ containers: [container({})] }), 'BestEffort'],
	['zero is nothing', pod({ containers: [container({ cpu: '0' })] }), 'BestEffort'],
	['less than zero is nothing', pod({ containers: [container({ cpu: '-1' })] }), 'BestEffort'],
	['other resources do not count', pod({ containers: [container({ 'x.io/gpu': '1' })] }), 'BestEffort'],
	['limits equal to requests', pod({ containers: [container(both, { cpu: '1000m', memory: '1024Mi' })] }), 'Guaranteed'],
	['one container without limits', pod({ containers: [container(both, both), container({})] }), 'Burstable'],
	['an init container without limits', pod({ containers: [container(both, both)], initContainers: [container({})] }), 'Burstable'],
	['only cpu', pod({ containers: [container({ cpu: '1' }, { cpu: '1' })] }), 'Burstable'],
	['the pod itself', pod({ containers: [container({})], resources: { requests: both, limits: both } }), 'Guaranteed'],
	['the pod itself, which asks for nothing', pod({ containers: [container(both, both)], resources: {} }), 'BestEffort'],
];
for (const [rule, of, want] of classes) test(`qosClass(): ${rule}`, (t) => t.is(qosClass(of), want));

const taint: Taint = { key: 'a', value: 'b', effect: 'NoSchedule' };
const tolerations: readonly (readonly [rule: string, toleration: Toleration, tolerates: boolean])[] = [
	['the same', { key: 'a', value: 'b', effect: 'NoSchedule' }, true],
	['any effect', { key: 'a', operator: 'Equal', value: 'b' }, true],
	['another value', { key: 'a', value: 'c' }, false],
	['another effect', { key: 'a', value: 'b', effect: 'NoExecute' }, false],
	['exists', { key: 'a', operator: 'Exists' }, true],
	['exists without a key is everything', { operator: 'Exists' }, true],
];
for (const [rule, toleration, want] of tolerations) test(`tolerates(): ${rule}`, (t) => t.is(tolerates(toleration, taint), want));

const node = (labels: Record<string, string>, allocatable: Record<string, string> = {}): Node => ({
	metadata: { name: 'n', labels },
	status: { allocatable },
});
const affinity = (...nodeSelectorTerms: object[]): Pod =>
	pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: nodeSelectorTerms as [] } } } });
const selections: readonly (readonly [rule: string, pod: Pod, matches: boolean])[] = [
	['nothing asked', pod({}), true],
	['node selector', pod({ nodeSelector: { zone: 'a' } }), true],
	['node selector of another value', pod({ nodeSelector: { zone: 'b' } }), false],
	[
		'any term suffices',
		affinity(
			{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['x'] }] },
			{ matchExpressions: [{ key: 'size', operator: 'Gt', values: ['4'] }] },
		),
		true,
	],
	['an empty term matches nothing', affinity({}), false],
	['fields', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }), true],
];
for (const [rule, of, want] of selections)
	test(`matchesNode(): ${rule}`, (t) => t.is(matchesNode(of, node({ zone: 'a', size: '5' })), want));

test('shortages(): pods first, then each resource, ended pods do not count', (t) => {
	const other = pod({ containers: [container({ cpu: '700m' })] }, { metadata: { name: 'o', uid: 'o' } });
	const ended = pod({ containers: [container({ cpu: '5' })] }, { metadata: { name: 'e', uid: 'e' }, status: { phase: 'Succeeded' } });
	const wanted = pod({ containers: [container({ cpu: '400m', memory: '1Ki' })] });
	t.deepEqual(shortages(wanted, node({}, { cpu: '1', memory: '1Mi', pods: '1' }), [other, ended]), [
		{ resource: 'pods', requested: 1, used: 1, capacity: 1 },
		{ resource: 'cpu', requested: 400, used: 700, capacity: 1000 },
	]);
	t.deepEqual(shortages(wanted, node({}, { cpu: '1', memory: '1Mi', pods: '2' }), [ended]), []);
});

test('host ports: sidecars have them, init containers do not; every address clashes with any', (t) => {
	const ports = [{ containerPort: 80, hostPort: 8080 }];
	const found = hostPorts(
		pod({
			containers: [
				container({}, {}, { ports: [{ containerPort: 1 }, { containerPort: 53, hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' }] }),
			],
			initContainers: [container({}, {}, { ports }), container({}, {}, { ports, restartPolicy: 'Always' })],
		}),
	);
	t.deepEqual(found, [
		{ ip: '0.0.0.0', protocol: 'TCP', port: 8080 },
		{ ip: '10.0.0.1', protocol: 'UDP', port: 53 },
	]);
	const [any, one] = found as [(typeof found)[0], (typeof found)[0]];
	t.true(portsClash(any, { ...any, ip: '1.2.3.4' }));
	t.false(portsClash(one, { ...one, ip: '10.0.0.2' }));
	t.false(portsClash(one, { ...one, protocol: 'TCP' }));
});

test('ready, available, active', (t) => {
	const ready = pod({}, { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] } });
	const then = Date.parse('2026-01-01T00:00:00Z');
	t.true(isReady(ready));
	t.false(isReady(pod({})));
	t.true(isAvailable(ready, 0, then));
	t.false(isAvailable(ready, 10, then + 9_999));
	t.true(isAvailable(ready, 10, then + 10_000));
	t.true(isActive(pod({})));
	t.false(isActive(pod({}, { status: { phase: 'Failed' } })));
	t.false(isActive(pod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })));
});
