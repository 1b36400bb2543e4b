import test from 'ava';
import type { KubeObject } from '../resource.ts';
import {
	canonicalCidrComplaints,
	canonicalIpComplaints,
	cidrComplaints,
	cidrWarnings,
	interfaceComplaints,
	ipComplaints,
	ipWarnings,
} from './address-form.ts';
import { validateCreate, validateUpdate } from './validation.ts';

const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

for (const [text, older, newer] of [
	['10.0.0.1', [], []],
	['10.0.0.01', ['must not have leading 0s'], ['must not have leading 0s']],
	['256.0.0.01', [NO_IP], [NO_IP]],
	['::ffff:10.0.0.1', ['must not be an IPv4-mapped IPv6 address'], ['must not be an IPv4-mapped IPv6 address']],
	['0:0:0:0:0:FFFF:a00:1', ['must not be an IPv4-mapped IPv6 address'], ['must not be an IPv4-mapped IPv6 address']],
	['FE80:0::1', [], ['must be in canonical form ("fe80::1")']],
	['fe80::1%eth0', [NO_IP], [NO_IP]],
] as const)
	test(`addresses: ${text}`, (t) => t.deepEqual([ipComplaints(text), canonicalIpComplaints(text)], [older, newer]));

for (const [text, older, newer] of [
	['10.0.0.0/8', [], []],
	['10.0.0.1/8', ['must not have bits set beyond the prefix length'], ['must not have bits set beyond the prefix length']],
	['10.0.0.0/08', ['must not have leading 0s in IP or prefix length'], ['must not have leading 0s in IP or prefix length']],
	['10.0.0.0/33', [NO_CIDR], [NO_CIDR]],
	['::ffff:10.0.0.0/104', ['must not have an IPv4-mapped IPv6 address'], ['must not have an IPv4-mapped IPv6 address']],
	['2001:db8::1/64', ['must not have bits set beyond the prefix length'], ['must not have bits set beyond the prefix length']],
	['2001:0DB8::/64', [], ['must be in canonical form ("2001:db8::/64")']],
] as const)
	test(`networks: ${text}`, (t) => t.deepEqual([cidrComplaints(text), canonicalCidrComplaints(text)], [older, newer]));

for (const [text, want] of [
	['10.9.8.7/24', []],
	['2001:DB8::1/64', ['must be in canonical form ("2001:db8::1/64")']],
	['::ffff:192.168.0.1/120', ['must be in canonical form ("192.168.0.1/24")']],
	['10.9.8.7', ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)']],
] as const)
	test(`addresses of interfaces: ${text}`, (t) => t.deepEqual(interfaceComplaints(text), want));

for (const [found, want] of [
	[ipWarnings('p', '10.0.0.1'), []],
	[ipWarnings('p', '010.0.0.1'), ['p: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']],
	[ipWarnings('p', '::ffff:1.2.3.4'), ['p: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']],
	[ipWarnings('p', '2001:DB8::1'), ['p: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")']],
	[cidrWarnings('p', '10.0.0.1/8'), ['p: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)']],
	[cidrWarnings('p', '10.0.0.0/08'), ['p: non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"']],
	[cidrWarnings('p', '2001:DB8::/64'), ['p: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")']],
] as const)
	test(`warnings: ${want[0] ?? 'none'}`, (t) => t.deepEqual(found, want));

const policy = (...cidrs: readonly string[]): KubeObject =>
	({
		metadata: { name: 'p', namespace: 'n' },
		spec: { podSelector: {}, ingress: cidrs.map((cidr) => ({ from: [{ ipBlock: { cidr } }] })) },
	}) as KubeObject;
const fields = (errors: readonly { readonly field: string }[]): readonly string[] => errors.map(({ field }) => field);

test('a network that a policy had may stay as it is, wherever it stands', (t) => {
	const [group, kind] = ['networking.k8s.io', 'NetworkPolicy'];
	t.deepEqual(fields(validateCreate(group, 'v1', kind, policy('10.0.0.1/8'), true)), ['spec.ingress[0].from[0].ipBlock.cidr']);
	const old = { ...policy('10.0.0.1/8'), metadata: { name: 'p', namespace: 'n', resourceVersion: '1' } } as KubeObject;
	const now = { ...policy('10.0.0.2/8', '10.0.0.1/8'), metadata: old.metadata } as KubeObject;
	t.deepEqual(fields(validateUpdate(group, 'v1', kind, now, old, true)), ['spec.ingress[0].from[0].ipBlock.cidr']);
});

test('Endpoints may keep the subsets that they had', (t) => {
	const made = (ip: string, more: object = {}): KubeObject =>
		({ metadata: { name: 'e', namespace: 'n', resourceVersion: '1', ...more }, subsets: [{ addresses: [{ ip }] }] }) as KubeObject;
	const old = made('::ffff:10.0.0.1');
	t.deepEqual(fields(validateUpdate('', 'v1', 'Endpoints', made('::ffff:10.0.0.1', { labels: { a: 'b' } }), old, true)), []);
	t.deepEqual(fields(validateUpdate('', 'v1', 'Endpoints', made('::ffff:10.0.0.2'), old, true)), ['subsets[0].addresses[0].ip']);
});

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const service = (spec: object, ranges?: string): KubeObject =>
	({
		metadata: { name: 's', namespace: 'n', resourceVersion: '1', ...(ranges === undefined ? {} : { annotations: { [RANGES]: ranges } }) },
		spec: {
			type: 'LoadBalancer',
			sessionAffinity: 'None',
			externalTrafficPolicy: 'Cluster',
			internalTrafficPolicy: 'Cluster',
			ports: [{ port: 1, protocol: 'TCP', targetPort: 1 }],
			allocateLoadBalancerNodePorts: true,
			...spec,
		},
	}) as KubeObject;

for (const [rule, now, want] of [
	['no network in the annotation', service({}, '10.0.0.0/8, 10.0.0.1/8'), [`metadata.annotations[${RANGES}]`]],
	['nothing in the annotation', service({}, ' '), []],
	['the annotation beside the field', service({ loadBalancerSourceRanges: [' 10.0.0.0/8 '] }, 'x'), []],
	['None and an address', service({ clusterIP: 'None', clusterIPs: ['None', '10.0.0.1'] }), ['spec.clusterIPs']],
	['an address and None', service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'None'] }), ['spec.clusterIPs[1]']],
] as const)
	test(`a Service with ${rule}`, (t) => t.deepEqual(fields(validateCreate('', 'v1', 'Service', now, true)), want));

test('a Service may keep the annotation that it had', (t) => {
	t.deepEqual(fields(validateUpdate('', 'v1', 'Service', service({}, 'x'), service({}, 'x'), true)), []);
});
