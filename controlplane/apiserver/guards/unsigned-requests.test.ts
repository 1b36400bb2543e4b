/** Requests for certificates that their key has not signed: a whole server, in process. */
import test from 'ava';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createSigningRequest } from '../../../wire/tls/authority.ts';

test('a request whose signature is not good is refused, for whichever signer', async (t) => {
	const stop = new AbortController();
	const server = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	const { csrPem } = await createSigningRequest({ commonName: 'u', organizations: ['system:masters'] });
	const der = Buffer.from(csrPem.replaceAll(/-----.*?-----|\s/g, ''), 'base64');
	const at = der.length - 1;
	der.writeUInt8(der.readUInt8(at) ^ 1, at);
	const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
	const ask = (text: string, signerName: string): Promise<unknown> =>
		server.client.create(CERTIFICATE_SIGNING_REQUESTS, {
			metadata: { generateName: 'r-' },
			spec: { signerName, request: Buffer.from(text).toString('base64'), usages: ['client auth'] },
		});
	for (const signer of ['kubernetes.io/kube-apiserver-client', 'example.com/mine'])
		await t.throwsAsync(ask(forged, signer), { message: /is invalid: spec\.request: Invalid value: .*signature/s });
	await t.throwsAsync(ask(csrPem, 'kubernetes.io/kube-apiserver-client'), { message: /system:masters group is not allowed/ });
	await t.notThrowsAsync(ask(csrPem, 'example.com/mine'));
	stop.abort();
	await server.stopped;
});
