import test from 'ava';
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { completeFamilies } from './ip-families.ts';
import { IpRange, type Family } from './ip-range.ts';
import { PortBitmap } from './port-bitmap.ts';

for (const [cidr, address, inside] of [
	['10.0.0.0/24', '10.0.0.0', false],
	['10.0.0.0/24', '10.0.0.1', true],
	['10.0.0.0/24', '10.0.0.254', true],
	['10.0.0.0/24', '10.0.0.255', false],
	['10.0.0.0/24', '10.0.1.1', false],
	['10.0.0.0/24', 'fd00::1', false],
	['10.0.0.0/24', 'x', false],
	['fd00:1::/112', 'fd00:1::', false],
	['fd00:1::/112', 'fd00:1::1', true],
	['fd00:1::/112', 'fd00:1::ffff', true],
	['fd00:1::/112', 'fd00:1::1:0', false],
] as const)
	test(`${cidr} ${inside ? 'has' : 'has not'} ${address}`, (t) => t.is(new IpRange(cidr).contains(address), inside));

test('the lowest address of a range is the one of the Service kubernetes', (t) => {
	const first = { '10.0.0.0/24': '10.0.0.1', '10.96.0.17/12': '10.96.0.1', 'fd00::/112': 'fd00::1', 'fd00:0:0:1::ff/64': 'fd00:0:0:1::1' };
	for (const [cidr, address] of Object.entries(first)) t.is(new IpRange(cidr).first, address);
});

test('addresses come from the dynamic part first, from the static part last, each once', (t) => {
	const sizes = { '10.0.0.0/24': 254, '10.0.0.0/28': 14, '10.0.0.0/30': 2, 'fd00::/120': 255 };
	for (const [cidr, size] of Object.entries(sizes)) {
		const range = new IpRange(cidr);
		const taken = new Set<string>();
		for (let address; (address = range.free((a) => taken.has(a), 0.7)) !== undefined; ) {
			t.true(range.contains(address) && !taken.has(address));
			taken.add(address);
		}
		t.is(taken.size, size);
	}
	t.is(
		new IpRange('10.0.0.0/24').free(() => false, 0),
		'10.0.0.17',
	);
	t.is(
		new IpRange('10.96.0.0/16').free(() => false, 0),
		'10.96.1.1',
	);
	t.is(
		new IpRange('fd00:0:0:1::/64').free(() => false, 0),
		'fd00:0:0:1::101',
	);
});

test('node ports: upstream writes them as a big-endian integer', (t) => {
	const bitmap = new PortBitmap([30000, 32767]);
	t.is(bitmap.data, '');
	for (const port of [30000, 30009, 32767]) bitmap.take(port);
	const bytes = Buffer.from(bitmap.data, 'base64');
	t.deepEqual([bytes.length, bytes.at(-1), bytes.at(-2), bytes[0]], [346, 1, 2, 128]);
	const again = PortBitmap.read([30000, 32767], bitmap.data);
	t.deepEqual([again.has(30000), again.has(30001), again.has(30009), again.has(32767)], [true, false, true, true]);
	again.release(32767);
	t.is(Buffer.from(again.data, 'base64').length, 2);
	t.is(bitmap.free(0), 30086);
	const full = new PortBitmap([1, 3], [1, 2, 3]);
	t.is(full.free(0.5), undefined);
});

for (const [size, first] of [
	[1, 0],
	[16, 0],
	[17, 16],
	[31, 16],
	[32, 16],
	[1024, 32],
	[8192, 128],
] as const)
	test(`of ${size} node ports, those from ${first} on are given out first`, (t) => {
		t.is(new PortBitmap([30000, 30000 + size - 1]).free(0), 30000 + first);
	});

const V4 = ['IPv4'] as const;
const DUAL = ['IPv4', 'IPv6'] as const;

/** spec, the cluster's families, and what comes of it: families and policy, or the errors. As upstream 1.36 answered. */
const FAMILIES: readonly (readonly [ServiceSpec, readonly Family[], object | string])[] = [
	[{}, V4, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
	[{}, DUAL, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
	[{ ipFamilyPolicy: 'PreferDualStack' }, V4, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' }],
	[{ ipFamilyPolicy: 'PreferDualStack' }, DUAL, { ipFamilies: ['IPv4', 'IPv6'] }],
	[{ ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, DUAL, { ipFamilies: ['IPv6', 'IPv4'] }],
	[{ ipFamilyPolicy: 'RequireDualStack' }, V4, 'spec.ipFamilyPolicy: this cluster is not configured for dual-stack services'],
	[{ ipFamilies: ['IPv6'] }, V4, 'spec.ipFamilies[0]: not configured on this cluster'],
	[
		{ ipFamilies: ['IPv4', 'IPv6'] },
		V4,
		"spec.ipFamilyPolicy: must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
	],
	[{ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' }, V4, 'spec.ipFamilies[1]: not configured on this cluster'],
	[{ clusterIP: 'fd00::1' }, V4, 'spec.clusterIPs[0]: IPv6 is not configured on this cluster'],
	[{ clusterIPs: ['10.0.0.8', 'fd00::1'] }, V4, 'spec.clusterIPs: must be empty when `clusterIP` is not specified'],
	[{ clusterIP: '10.0.0.8', ipFamilies: ['IPv6'] }, DUAL, 'spec.clusterIPs[0]: expected an IPv6 value as indicated by `ipFamilies[0]`'],
	[{ clusterIP: 'x', ports: [] }, V4, `spec.clusterIPs[0]: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`],
	[
		{ clusterIP: '10.0.0.8', clusterIPs: ['10.0.0.8', '10.0.0.9'] },
		V4,
		'spec.clusterIPs: may specify no more than one IP for each IP family',
	],
	[{ clusterIP: 'None' }, V4, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }],
	[{ clusterIP: 'None', ipFamilies: ['IPv6'] }, V4, { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' }],
	[{ clusterIP: 'None', ipFamilyPolicy: 'SingleStack' }, V4, { ipFamilies: ['IPv4'] }],
	[{ clusterIP: 'None', selector: { a: 'b' } }, V4, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
	[{ clusterIP: 'None', selector: { a: 'b' }, ipFamilies: ['IPv6'] }, V4, 'spec.ipFamilies[0]: not configured on this cluster'],
];
for (const [spec, configured, want] of FAMILIES)
	test(`families of ${JSON.stringify(spec)} where ${configured.join(' and ')} is configured`, (t) => {
		const completed = structuredClone(spec);
		const errors = completeFamilies(completed, undefined, configured);
		if (typeof want === 'string')
			t.deepEqual(
				errors.map((e) => `${e.field}: ${e.message.replace(/^Invalid value: (".*?"|\[.*?\]): /, '')}`),
				[want],
			);
		else {
			t.deepEqual(errors, []);
			t.like(completed, want);
		}
	});

test('a second family goes only with a policy that says so', (t) => {
	const before: ServiceSpec = { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
	const [error] = completeFamilies({ ...before, ipFamilies: ['IPv6'] }, before, V4);
	t.regex(error?.message ?? '', /must be 'SingleStack' to release the secondary IP family/);
	const single: ServiceSpec = { ...before, ipFamilyPolicy: 'SingleStack' };
	t.deepEqual(completeFamilies(single, before, V4), []);
	t.deepEqual(single.ipFamilies, ['IPv4']);
});

const PREFERRED: ServiceSpec = {
	type: 'ClusterIP',
	ipFamilyPolicy: 'PreferDualStack',
	clusterIP: '10.0.0.8',
	clusterIPs: ['10.0.0.8'],
	ipFamilies: ['IPv4'],
};
const BOTH: ServiceSpec = { ...PREFERRED, clusterIPs: ['10.0.0.8', 'fd00::8'], ipFamilies: ['IPv4', 'IPv6'] };
for (const [rule, spec, before, configured, want] of [
	['is not upgraded where the cluster has two families by now', PREFERRED, PREFERRED, DUAL, ['IPv4']],
	['is not refused where the cluster has one by now', BOTH, BOTH, V4, ['IPv4', 'IPv6']],
	['is upgraded with its type', { ...PREFERRED, type: 'NodePort' }, PREFERRED, DUAL, DUAL],
	['is upgraded when it becomes one', PREFERRED, { ...PREFERRED, ipFamilyPolicy: 'SingleStack' }, DUAL, DUAL],
	['is upgraded when it asks for both', { ...PREFERRED, ipFamilyPolicy: 'RequireDualStack' }, PREFERRED, DUAL, DUAL],
] as const)
	test(`a Service that prefers both families ${rule}`, (t) => {
		const completed = structuredClone(spec) as ServiceSpec;
		t.deepEqual(completeFamilies(completed, before, configured), []);
		t.deepEqual(completed.ipFamilies, [...want]);
	});
