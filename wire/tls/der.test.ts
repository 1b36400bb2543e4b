import test from 'ava';
import { bitString, contentOf, integer, objectIdentifier, sequence, text, time, within } from './der.ts';
import { ipBytes } from './ip-bytes.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Buffer => Buffer.from(text, 'hex');

// As X.690 has it, and `openssl asn1parse -genstr` writes it.
for (const [name, value, want] of [
	['nothing', integer(bytes('0000')), '020100'],
	['no more zeros than are needed', integer(bytes('00007f')), '02017f'],
	['a highest bit that would make it negative', integer(bytes('0080')), '02020080'],
	['an identifier with a number of two bytes', objectIdentifier('2.5.29.17'), '0603551d11'],
	['an identifier that begins beyond one byte', objectIdentifier('2.999.3'), '0603883703'],
	['an identifier with large numbers', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
	['bits of which some say nothing', bitString(bytes('a0'), 5), '030205a0'],
	['a length of one byte more', sequence(Buffer.alloc(128)), `308180${'00'.repeat(128)}`],
	['a length of two bytes more', sequence(Buffer.alloc(256)), `30820100${'00'.repeat(256)}`],
	['letters that every name may have', text("a (b)'+,-./:=?"), '130e6120286229272b2c2d2e2f3a3d3f'],
	['letters beyond them', text('ü*'), '0c03c3bc2a'],
	['a time before 2050', time(Date.UTC(2049, 11, 31, 23, 59, 59, 999)), '170d3439313233313233353935395a'],
	['a time after it', time(Date.UTC(2050, 0)), '180f32303530303130313030303030305a'],
] as const)
	test(`DER: ${name}`, (t) => t.is(hex(value), want));

test('DER: what is written is read again', (t) => {
	const parts = [integer(bytes('01')), sequence(), sequence(Buffer.alloc(300))];
	t.deepEqual(within(sequence(...parts)), parts);
	t.deepEqual(contentOf(sequence(...parts)), Buffer.concat(parts));
	t.deepEqual(within(sequence()), []);
});

for (const [ip, want] of [
	['10.0.0.255', '0a0000ff'],
	['::', '0'.repeat(32)],
	['::1', `${'0'.repeat(31)}1`],
	['fe80::', `fe80${'0'.repeat(28)}`],
	['1:2::8', `00010002${'0'.repeat(20)}0008`],
	['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
	['64:ff9b::10.0.0.1', `0064ff9b${'0'.repeat(16)}0a000001`],
	['::ffff:10.0.0.1', '0a000001'],
] as const)
	test(`an address as certificates carry it: ${ip}`, (t) => t.is(hex(ipBytes(ip)), want));
