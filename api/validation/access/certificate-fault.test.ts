import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createAuthority } from '../../../wire/tls/authority.ts';
import { bitString, contentOf, explicit, integer, sequence, within } from '../../../wire/tls/der.ts';
import { pemBlocks } from '../../pem-blocks.ts';
import { certificateFault } from './certificate-fault.ts';

const { certPem } = await createAuthority({ commonName: 'a', days: 1 }, new VirtualClock());
const der = pemBlocks(Buffer.from(certPem))[0]?.der as Buffer;
const block = (type: string, bytes: Buffer, headers = ''): Buffer =>
	Buffer.from(`-----BEGIN ${type}-----\n${headers}${bytes.toString('base64')}\n-----END ${type}-----\n`);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

const [tbs, outer, signature] = within(der) as [Buffer, Buffer, Buffer];
const [version, serial, inner, ...names] = within(tbs) as [Buffer, Buffer, Buffer, ...Buffer[]];
/** The certificate, of which some parts are others. */
const made = (...parts: readonly Buffer[]): Buffer => sequence(sequence(...parts), outer, signature);

// As Go 1.26 says it, but for the last one: its text is of the first part that Go cannot read.
for (const [rule, bytes, want] of [
	['one', der, undefined],
	['two, one behind the other', Buffer.concat([der, der]), undefined],
	['none', hex(''), 'found CERTIFICATE PEM block containing 0 certificates'],
	['one that is cut off', der.subarray(0, -1), 'x509: malformed certificate'],
	['a length that could be shorter', Buffer.concat([hex('308100')]), 'x509: malformed certificate'],
	['something behind it', Buffer.concat([der, hex('00')]), 'x509: malformed certificate'],
	['an empty sequence', hex('3000'), 'x509: malformed tbs certificate'],
	['two empty sequences', hex('30023000'), 'x509: malformed serial number'],
	['a version that is none', made(explicit(0, hex('0400')), serial, inner, ...names), 'x509: malformed version'],
	['a version to come', made(explicit(0, integer(hex('03'))), serial, inner, ...names), 'x509: invalid version'],
	['no number', made(version, inner, ...names), 'x509: malformed serial number'],
	['a number that is too long', made(version, hex('02020001'), inner, ...names), 'x509: malformed serial number'],
	['a negative number', made(version, hex('0201ff'), inner, ...names), 'x509: negative serial number'],
	['no algorithm', sequence(sequence(version, serial), outer, signature), 'x509: malformed signature algorithm identifier'],
	['no outer algorithm', sequence(tbs), 'x509: malformed algorithm identifier'],
	[
		'algorithms that differ',
		made(version, serial, sequence(), ...names),
		"x509: inner and outer signature algorithm identifiers don't match",
	],
	['nobody who issued it', made(version, serial, inner), 'x509: malformed issuer'],
	['no time', made(version, serial, inner, ...names.slice(0, 1)), 'x509: malformed validity'],
	['nobody whose it is', made(version, serial, inner, ...names.slice(0, 2)), 'x509: malformed issuer'],
	['no key', made(version, serial, inner, ...names.slice(0, 3)), 'x509: malformed spki'],
	['no signature', sequence(tbs, outer), 'x509: malformed signature'],
	['nothing in what is there', made(version, serial, inner, ...names.map(() => sequence())), 'x509: malformed certificate'],
] as const)
	test(`a block of certificates that holds ${rule}`, (t) => t.is(certificateFault(block('CERTIFICATE', bytes)), want));

for (const [rule, pem, want] of [
	['nothing else', block('A', der), 'only CERTIFICATE PEM blocks are allowed, found "A"'],
	['nothing said beside it', block('CERTIFICATE', der, 'Proc-Type: 4,ENCRYPTED\n\n'), 'no PEM block headers are permitted'],
	['in each block', Buffer.concat([block('CERTIFICATE', der), block('CERTIFICATE', hex('3000'))]), 'x509: malformed tbs certificate'],
	['at least once', Buffer.from('a'), 'must contain at least one CERTIFICATE PEM block'],
] as const)
	test(`certificates are there, ${rule}`, (t) => t.is(certificateFault(pem), want));

test('what is made of a certificate is it again', (t) => {
	t.deepEqual(made(version, serial, inner, ...names), der);
	t.deepEqual(bitString(contentOf(signature).subarray(1)), signature);
});
