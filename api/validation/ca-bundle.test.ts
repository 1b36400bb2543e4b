/** Bundles of authorities: what can be believed, and why not. */
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createAuthority } from '../../wire/tls/authority.ts';
import { caBundleFault } from './ca-bundle.ts';

const block = (type: string, body: string): string => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const ROOT = 'unable to load root certificates: ';

for (const [name, text, want] of [
	['none', '', undefined],
	['no PEM', 'Cg==', `${ROOT}unable to parse bytes as PEM block`],
	['a key', block('PRIVATE KEY', 'AAAA'), `${ROOT}no valid certificate authority data seen`],
	['a key and more', `${block('PRIVATE KEY', 'AAAA')}x`, `${ROOT}unable to parse bytes as PEM block`],
	['a broken certificate', block('CERTIFICATE', 'AAAA'), `${ROOT}failed to parse certificate: x509: malformed certificate`],
	['a certificate with headers', block('CERTIFICATE', 'A: b\n\nAAAA'), `${ROOT}no valid certificate authority data seen`],
] as const)
	test(`caBundleFault(): ${name}`, (t) => t.is(caBundleFault(Buffer.from(text).toString('base64')), want));

test('caBundleFault(): one good certificate is enough', async (t) => {
	const { certPem } = await createAuthority({ commonName: 'a', days: 1 }, new VirtualClock());
	for (const text of [certPem, `${block('CERTIFICATE', 'AAAA')}${certPem}rest`])
		t.is(caBundleFault(Buffer.from(text).toString('base64')), undefined);
});
