import test from 'ava';
import type { Node, Pod, Service } from '../../../api/gen/types.ts';
import { wantedEndpoints } from './endpoints.ts';

const service = (spec: object, annotations?: Record<string, string>): Service => ({
	metadata: { name: 's', namespace: 'n', uid: 'su', annotations },
	spec,
});
const pod = (more: { readonly node?: string; readonly ready?: boolean } = {}): Pod => ({
	metadata: { name: 'p', namespace: 'n', uid: 'pu' },
	spec: { nodeName: more.node ?? 'n1', containers: [] },
	status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True' }] },
});
const nodes = new Map<string, Node>([
	['n1', { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'a' } } }],
	['n2', { metadata: { name: 'n2' } }],
	['n3', { metadata: { name: 'n3', labels: { 'topology.kubernetes.io/zone': '' } } }],
]);
const nodeOf = (name: string): Node | undefined => nodes.get(name);

const zone = { forZones: [{ name: 'a' }] };
const node = { forNodes: [{ name: 'n1' }] };

for (const [rule, one, asked, want] of [
	['nobody asks for', service({}), pod(), undefined],
	['the same zone', service({ trafficDistribution: 'PreferSameZone' }), pod(), zone],
	['what the same zone was called', service({ trafficDistribution: 'PreferClose' }), pod(), zone],
	['the same node', service({ trafficDistribution: 'PreferSameNode' }), pod(), { ...zone, ...node }],
	['the same node, in no zone', service({ trafficDistribution: 'PreferSameNode' }), pod({ node: 'n2' }), { forNodes: [{ name: 'n2' }] }],
	['a zone that nobody knows', service({ trafficDistribution: 'PreferSameZone' }), pod({ node: 'n2' }), undefined],
	['a zone without a name', service({ trafficDistribution: 'PreferSameZone' }), pod({ node: 'n3' }), undefined],
	['a pod that is not ready', service({ trafficDistribution: 'PreferSameZone' }), pod({ ready: false }), undefined],
	[
		'zones that share by themselves',
		service({ trafficDistribution: 'PreferSameZone' }, { 'service.kubernetes.io/topology-mode': 'Auto' }),
		pod(),
		undefined,
	],
] as const)
	test(`hints: ${rule}`, (t) => {
		t.deepEqual(wantedEndpoints(one, [asked], nodeOf, 'IPv4')[0]?.endpoints[0]?.hints, want);
	});

test('wantedEndpoints(): a pod of a node that nobody knows is left out, unless all are to be published', (t) => {
	const lost = pod({ node: 'gone' });
	t.deepEqual(wantedEndpoints(service({}), [lost], nodeOf, 'IPv4'), []);
	t.is(wantedEndpoints(service({ publishNotReadyAddresses: true }), [lost], nodeOf, 'IPv4')[0]?.endpoints.length, 1);
});

test('wantedEndpoints(): addresses have the form that slices may have', (t) => {
	const [group] = wantedEndpoints(service({}), [{ ...pod(), status: { podIPs: [{ ip: '2001:DB8:0::7' }] } }], nodeOf, 'IPv6');
	t.deepEqual(group?.endpoints[0]?.addresses, ['2001:db8::7']);
});

test('wantedEndpoints(): a zone without a name is none', (t) => {
	t.is(wantedEndpoints(service({}), [pod()], nodeOf, 'IPv4')[0]?.endpoints[0]?.zone, 'a');
	t.false('zone' in (wantedEndpoints(service({}), [pod({ node: 'n3' })], nodeOf, 'IPv4')[0]?.endpoints[0] ?? {}));
});
