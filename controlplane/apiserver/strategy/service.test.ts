import test from 'ava';
import type { Service, ServiceSpec } from '../../../api/gen/types.ts';
import { serviceStrategy } from './service.ts';
import type { Draft } from './strategy.ts';

const BALANCED: ServiceSpec = {
	type: 'LoadBalancer',
	clusterIP: '10.96.0.7',
	clusterIPs: ['10.96.0.7'],
	ipFamilies: ['IPv4'],
	ipFamilyPolicy: 'SingleStack',
	externalTrafficPolicy: 'Cluster',
	allocateLoadBalancerNodePorts: true,
	ports: [{ port: 80, nodePort: 30_080 }],
};

function updated(change: ServiceSpec): ServiceSpec | undefined {
	const draft = { metadata: {}, spec: structuredClone({ ...BALANCED, ...change }) };
	serviceStrategy.prepareForUpdate?.(draft as unknown as Draft, { metadata: {}, spec: BALANCED } as unknown as Draft, '');
	return (draft as unknown as Service).spec;
}

const name: ServiceSpec = { type: 'ExternalName', externalName: 'a.b' };
for (const [rule, change, want] of [
	['a balancer that needs no node ports any more keeps those it has', { allocateLoadBalancerNodePorts: false }, { ports: BALANCED.ports }],
	['an address that is changed is that of the list too', { clusterIP: '10.96.0.8' }, { clusterIPs: ['10.96.0.8'] }],
	['a mere name has no address', name, { clusterIP: undefined, clusterIPs: undefined, ipFamilies: undefined }],
	['nor has one that leaves the list out', { ...name, clusterIPs: undefined }, { clusterIP: undefined, clusterIPs: undefined }],
	['nor one that clears the address', { ...name, clusterIP: '' }, { clusterIP: '', clusterIPs: undefined }],
	[
		'an address that is changed with the type stays to be refused',
		{ ...name, clusterIP: '10.96.0.8' },
		{ clusterIP: '10.96.0.8', clusterIPs: ['10.96.0.8'], ipFamilies: undefined },
	],
	['so does a list that is', { ...name, clusterIPs: ['10.96.0.8'] }, { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.8'] }],
] as const)
	test(`an update of a Service: ${rule}`, (t) => t.like(updated(change as ServiceSpec), want as ServiceSpec));
