import test from 'ava';
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { dropPolicyOfName, dropTypeDependent } from './service-type.ts';

const NODE_PORT: ServiceSpec = {
	type: 'NodePort',
	clusterIP: '10.96.0.7',
	clusterIPs: ['10.96.0.7'],
	ipFamilies: ['IPv4'],
	ipFamilyPolicy: 'SingleStack',
	externalTrafficPolicy: 'Cluster',
	ports: [{ port: 80, nodePort: 30_080 }],
};
const BALANCED: ServiceSpec = {
	...NODE_PORT,
	type: 'LoadBalancer',
	externalTrafficPolicy: 'Local',
	healthCheckNodePort: 30_090,
	allocateLoadBalancerNodePorts: true,
	loadBalancerClass: 'a/b',
};
const SOME = [{ port: 80, nodePort: 30_080 }];
const NONE = [{ port: 80 }];
const TWO_PORTS: ServiceSpec = { ...NODE_PORT, ports: [...SOME, { port: 81, nodePort: 30_081 }] };
const UNASKED: ServiceSpec = { ...NODE_PORT, type: 'LoadBalancer', allocateLoadBalancerNodePorts: false };
const { externalTrafficPolicy: _, ...internal } = NODE_PORT;

for (const [rule, before, change, want] of [
	['a mere name keeps nothing', NODE_PORT, { type: 'ExternalName' }, { type: 'ExternalName', ports: [{ port: 80 }] }],
	['without node ports', NODE_PORT, { type: 'ClusterIP' }, { ...internal, type: 'ClusterIP', ports: [{ port: 80 }] }],
	[
		'a port that is changed with it stays',
		NODE_PORT,
		{ type: 'ClusterIP', ports: [{ port: 80, nodePort: 1 }] },
		{ ports: [{ port: 80, nodePort: 1 }] },
	],
	[
		'without node ports, though ports come',
		NODE_PORT,
		{ type: 'ClusterIP', ports: [...SOME, { port: 82 }] },
		{ ports: [...NONE, { port: 82 }] },
	],
	['without node ports, though ports go', TWO_PORTS, { type: 'ClusterIP', ports: SOME }, { ports: NONE }],
	['a name without those that a balancer had asked for', UNASKED, { type: 'ExternalName' }, { type: 'ExternalName', ports: NONE }],
	['without those that a balancer had asked for', UNASKED, { type: 'ClusterIP' }, { ports: NONE }],
	['a balancer that needs none any more keeps them', BALANCED, { allocateLoadBalancerNodePorts: false }, { ports: SOME }],
	['from outside by its own addresses', NODE_PORT, { type: 'ClusterIP', externalIPs: ['1.2.3.4'] }, { externalTrafficPolicy: 'Cluster' }],
	['what a balancer had', BALANCED, { type: 'NodePort' }, { ...NODE_PORT, externalTrafficPolicy: 'Local' }],
	[
		'a policy that is changed with it stays',
		BALANCED,
		{ type: 'ClusterIP', externalTrafficPolicy: 'Cluster' },
		{ externalTrafficPolicy: 'Cluster' },
	],
] as const)
	test(`dropTypeDependent(): ${rule}`, (t) => {
		const spec: ServiceSpec = structuredClone({ ...before, ...change }) as ServiceSpec;
		dropTypeDependent(spec, before);
		if ('type' in want) t.deepEqual(spec, want as ServiceSpec);
		else t.like(spec, want as ServiceSpec);
		if ('ports' in want) t.deepEqual(spec.ports, want.ports as ServiceSpec['ports']);
	});

for (const [type, internalTrafficPolicy, want] of [
	['ExternalName', 'Cluster', undefined],
	['ExternalName', 'Local', undefined],
	['ExternalName', 'zork', 'zork'],
	['ClusterIP', 'Local', 'Local'],
] as const)
	test(`the policy ${internalTrafficPolicy} of a Service of type ${type} becomes ${want}`, (t) => {
		const spec = { type, internalTrafficPolicy };
		dropPolicyOfName(spec);
		t.is(spec.internalTrafficPolicy, want as typeof internalTrafficPolicy);
	});
