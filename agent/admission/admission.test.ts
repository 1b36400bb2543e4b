/** Which pods a node turns away, and what becomes of them. */
import test from 'ava';
import type { Container, Node, NodeCondition, Pod, PodSpec } from '../../api/gen/types.ts';
import { playing } from '../../test/fakes/playing.ts';
import { named } from '../../test/fakes/pods.ts';
import { refusalOf } from './admit.ts';
import { preemptionFor } from './preemption.ts';
import { hostRefusal } from './host-refusal.ts';
import { reasonLabel } from './reason-label.ts';

const node: Node = {
	metadata: { name: 'node', labels: { disk: 'ssd' } },
	spec: {},
	status: { allocatable: { cpu: '2', memory: '1Gi', pods: '2' } },
};
const asking = (cpu: string): Container => ({ name: 'c', image: 'i', resources: { requests: { cpu } } });
const other = named('other', { containers: [{ ...asking('1500m'), ports: [{ containerPort: 80, hostPort: 8080 }] }] });
const tainted = (effect: string): Node => ({ ...node, spec: { taints: [{ key: 'k', value: 'v', effect }] } });
const under = (...types: readonly string[]): Node => ({
	...node,
	status: { ...node.status, conditions: types.map((type): NodeCondition => ({ type, status: 'True' })) },
});

for (const [name, spec, on, others, want] of [
	['fits', { containers: [asking('500m')] }, node, [other], undefined],
	[
		'asks for too much',
		{ containers: [asking('1')] },
		node,
		[other],
		"OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
	],
	[
		'asks for more devices than there are',
		{ containers: [{ ...asking('1'), resources: { requests: { 'example.com/gpu': '2' } } }] },
		{ ...node, status: { allocatable: { ...node.status?.allocatable, 'example.com/gpu': '1' } } },
		[],
		"OutOfexample.com/gpu: Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
	],
	[
		'asks for a resource of the cluster that no node has',
		{ containers: [{ ...asking('1'), resources: { requests: { 'example.com/licence': '2' } } }] },
		node,
		[],
		undefined,
	],
	[
		'is one too many',
		{},
		node,
		[other, named('b')],
		"OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2",
	],
	[
		'selects another node',
		{ nodeSelector: { disk: 'tape' } },
		node,
		[],
		"NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
	],
	['selects this node', { nodeSelector: { disk: 'ssd' } }, node, [], undefined],
	[
		'wants a port that is taken',
		{ containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 8080 }] }] },
		node,
		[other],
		"NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
	],
	[
		'wants it with UDP',
		{ containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 8080, protocol: 'UDP' }] }] },
		node,
		[other],
		undefined,
	],
	[
		'does not bear a NoExecute taint',
		{},
		tainted('NoExecute'),
		[],
		"TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
	],
	["does not bear a NoSchedule taint, which is the scheduler's", {}, tainted('NoSchedule'), [], undefined],
	[
		'wants only its own groups',
		{ securityContext: { supplementalGroupsPolicy: 'Strict' } },
		node,
		[],
		'SupplementalGroupsPolicyNotSupported: SupplementalGroupsPolicy=Strict is not supported in this node',
	],
	[
		'is for another system',
		{ os: { name: 'windows' } },
		node,
		[],
		"PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS",
	],
	['asks for nothing, under memory pressure', {}, under('MemoryPressure'), [], 'Evicted: The node had condition: [MemoryPressure]. '],
	[
		'asks for memory, under memory pressure',
		{ containers: [{ name: 'c', resources: { requests: { memory: '1Mi' } } }] },
		under('MemoryPressure'),
		[],
		undefined,
	],
	[
		'bears memory pressure',
		{ tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }] },
		under('MemoryPressure'),
		[],
		undefined,
	],
	[
		'comes under disk pressure',
		{ containers: [asking('1m')] },
		under('DiskPressure'),
		[],
		'Evicted: The node had condition: [DiskPressure]. ',
	],
	['is critical, under disk pressure', { priority: 2_000_001_000 }, under('DiskPressure'), [], undefined],
] as const)
	test(`a pod that ${name}`, (t) => {
		const refusal = refusalOf(named('p', spec as unknown as Partial<PodSpec>), on, others);
		t.is(refusal === undefined ? undefined : `${refusal.reason}: ${refusal.message}`, want);
	});

test('a pod that names another system by a label of its own', (t) => {
	const pod = named('p', { containers: [] });
	const refusal = refusalOf({ ...pod, metadata: { ...pod.metadata, labels: { 'kubernetes.io/os': 'windows' } } }, node, []);
	t.deepEqual(refusal, {
		reason: 'PodOSSelectorNodeLabelDoesNotMatch',
		message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
	});
});

test('a static pod runs on whatever taints its node', (t) => {
	const made = named('p');
	const pod = { ...made, metadata: { ...made.metadata, annotations: { 'kubernetes.io/config.source': 'http' } } };
	t.is(refusalOf(pod, tainted('NoExecute'), []), undefined);
});

test('a pod that is turned away fails, says why, and runs nothing', async (t) => {
	const { node: simulated, starts } = await playing();
	await using _ = simulated;
	simulated.node = node;
	await simulated.create('big', { containers: [asking('3')] });
	await simulated.advance(1000);
	t.like(simulated.pod('big')?.status, {
		phase: 'Failed',
		reason: 'OutOfcpu',
		message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
	});
	t.is(simulated.pod('big')?.status?.containerStatuses, undefined);
	t.deepEqual(simulated.events('big'), ["OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000"]);
	const before = simulated.pod('big')?.metadata.resourceVersion;
	await simulated.stopAgent();
	await simulated.startAgent();
	await simulated.advance(1000);
	t.is(simulated.pod('big')?.metadata.resourceVersion, before, 'an agent that starts again leaves it as it is');
	await simulated.create('small', { containers: [asking('1')] });
	await simulated.advance(1000);
	t.is(simulated.pod('small')?.status?.phase, 'Running');
	t.deepEqual(starts.length, 1);
	await simulated.delete('big');
	await simulated.advance(1000);
	t.is(simulated.pod('big'), undefined);
});

test('a pod that runs already is never turned away', async (t) => {
	const { node: simulated } = await playing();
	await using _ = simulated;
	await simulated.create('p', { containers: [asking('3')] });
	await simulated.advance(1000);
	await simulated.stopAgent();
	simulated.node = node;
	await simulated.startAgent();
	await simulated.advance(1000);
	t.is(simulated.pod('p')?.status?.phase, 'Running');
});

const able = { appArmor: false, unsafeSysctls: ['kernel.msg*', 'net.core.somaxconn'] };
for (const [name, spec, annotations, want] of [
	['asks for nothing', {}, {}, undefined],
	['sets a safe sysctl', { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } }, {}, undefined],
	['sets one that is allowed', { securityContext: { sysctls: [{ name: 'net/core/somaxconn', value: '1' }] } }, {}, undefined],
	['sets one of an allowed family', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }, {}, undefined],
	[
		'sets one that is not',
		{ securityContext: { sysctls: [{ name: 'vm.swappiness', value: '1' }] } },
		{},
		'SysctlForbidden: forbidden sysctl: "vm.swappiness" not allowlisted',
	],
	[
		"sets the host's network",
		{ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } },
		{},
		'SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_rmem" not allowed with host net enabled',
	],
	[
		"sets the host's IPC",
		{ hostIPC: true, securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
		{},
		'SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowed with host ipc enabled',
	],
	[
		'wants AppArmor in a container',
		{ containers: [{ name: 'c', securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }] },
		{},
		'AppArmor: Cannot enforce AppArmor: AppArmor is not enabled on the host',
	],
	[
		'wants it by the old annotation',
		{},
		{ 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' },
		'AppArmor: Cannot enforce AppArmor: AppArmor is not enabled on the host',
	],
	['wants none', { securityContext: { appArmorProfile: { type: 'Unconfined' } } }, {}, undefined],
] as const)
	test(`hostRefusal(): a pod that ${name}`, (t) => {
		const asked = { metadata: { name: 'p', annotations }, spec: { containers: [{ name: 'c' }], ...spec } } as unknown as Pod;
		const refusal = hostRefusal(asked, able);
		t.is(refusal && `${refusal.reason}: ${refusal.message}`, want);
		if (want?.startsWith('AppArmor')) t.is(hostRefusal(asked, { ...able, appArmor: true }), undefined);
	});

const uses = (name: string, cpu: string, more: Partial<PodSpec> = {}, limited = false) => {
	const amounts = { cpu, memory: '1Mi' };
	return named(name, { containers: [{ name: 'c', resources: { requests: amounts, ...(limited ? { limits: amounts } : {}) } }], ...more });
};
for (const [name, pod, others, want] of [
	['is not critical', uses('p', '1500m'), [uses('a', '1')], undefined],
	['fits', uses('p', '1', { priority: 2_000_000_000 }), [uses('a', '1')], undefined],
	['has nobody to make room', uses('p', '1500m', { priority: 2_000_000_000 }), [uses('a', '1', { priority: 2_000_001_000 })], undefined],
	['needs one of two', uses('p', '1500m', { priority: 2_000_000_000 }), [uses('small', '100m'), uses('big', '1')], 'big'],
	[
		'takes burstable ones before guaranteed ones',
		uses('p', '1', { priority: 2_000_000_000 }),
		[uses('g', '1', {}, true), uses('b', '1')],
		'b',
	],
	['takes no more than it needs', uses('p', '600m', { priority: 2_000_000_000 }), [uses('a', '800m'), uses('b', '700m')], 'b'],
	[
		'lacks a place only',
		named('p', { priority: 2_000_000_000, containers: [{ name: 'c' }] }),
		[uses('a', '1m'), named('best', { containers: [{ name: 'c' }] })],
		'best',
	],
] as const)
	test(`a pod that ${name}: who goes for it`, (t) => {
		const victims = preemptionFor(pod, node, others)
			?.victims.map((v) => v.metadata.name)
			.join(' ');
		t.is(victims, want);
	});

test('a critical pod gets the resources of another, which is told why', async (t) => {
	const { node: simulated } = await playing();
	await using _ = simulated;
	simulated.node = node;
	await simulated.create('low', { containers: [asking('1500m')] });
	await simulated.create('critical', { containers: [asking('1')], priority: 2_000_000_000 });
	await simulated.advance(2000);
	t.like(simulated.pod('low')?.status, { phase: 'Failed', reason: 'Preempting', message: 'Preempted in order to admit critical pod' });
	t.is(simulated.pod('low')?.status?.conditions?.find((c) => c.type === 'DisruptionTarget')?.reason, 'TerminationByKubelet');
	t.true(simulated.events('low').includes('Preempting: Preempted in order to admit critical pod'));
	t.is(simulated.pod('critical')?.status?.phase, 'Running');
});

for (const [reason, want] of [
	['OutOfcpu', 'OutOfcpu'],
	['OutOfexample.com/gpu', 'OutOfExtendedResources'],
	['TopologyAffinityError', 'TopologyAffinityError'],
	['SMTAlignmentError', 'Other'],
	['NodePorts', 'Other'],
	['TaintToleration', 'Other'],
] as const)
	test(`the metric of refusals: ${reason}`, (t) => t.is(reasonLabel(reason), want));
