/** What came with a client's certificate, over real connections. */
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import test from 'ava';
import { ECDSA, x509 } from '../../../wire/tls/authority.ts';
import { intermediatesOf, NO_VERDICT } from './client-chain.ts';

interface Pair {
	readonly name: string;
	readonly cert: string;
	readonly raw: Buffer;
	readonly key: string;
	readonly keys: webcrypto.CryptoKeyPair;
}

async function certified(name: string, isCa: boolean, issuer?: Pair): Promise<Pair> {
	const lib = await x509();
	const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
	const certificate = await lib.X509CertificateGenerator.create({
		...{ serialNumber: '01', subject: `CN=${name}`, issuer: `CN=${issuer?.name ?? name}`, signingAlgorithm: ECDSA },
		...{ notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) },
		...{ publicKey: keys.publicKey, signingKey: issuer?.keys.privateKey ?? keys.privateKey },
		extensions: [new lib.BasicConstraintsExtension(isCa, undefined, true)],
	});
	const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
	const key = `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`;
	return { name, cert: certificate.toString('pem'), raw: Buffer.from(certificate.rawData), key, keys };
}

test('what came with a certificate is known, in a session that is taken up again too', async (t) => {
	const ca = await certified('ca', true);
	const between = await certified('between', true, ca);
	const jane = await certified('jane', false, between);
	const server = createServer({ ...ca, ca: ca.cert, crl: NO_VERDICT, requestCert: true, rejectUnauthorized: false });
	const seen: { readonly reused: boolean; readonly above: readonly Uint8Array[] }[] = [];
	server.on('secureConnection', (socket: TLSSocket) => {
		seen.push({ reused: socket.isSessionReused(), above: intermediatesOf(socket) });
		socket.end('done');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const show = async (session?: Buffer): Promise<Buffer | undefined> => {
		const cert = `${jane.cert}\n${between.cert}`;
		const socket = connect({ port, host: '127.0.0.1', ca: ca.cert, checkServerIdentity: () => undefined, cert, key: jane.key, session });
		let given: Buffer | undefined;
		socket.on('session', (one: Buffer) => (given = one)).resume();
		await once(socket, 'close');
		return given;
	};
	await show(await show());
	server.close();
	t.deepEqual(
		seen.map(({ reused, above }) => [reused, above.some((one) => between.raw.equals(one))]),
		[
			[false, true],
			[true, true],
		],
	);
});

for (const [bytes, isRemembered] of [
	[16 * 1024, true],
	[16 * 1024 + 1, false],
] as const)
	test(`${bytes} bytes of intermediates are ${isRemembered ? '' : 'not '}remembered`, (t) => {
		const leaf = { fingerprint256: `leaf of ${bytes}`, raw: Buffer.alloc(1) };
		const sending = (more: object) => ({ getPeerCertificate: () => ({ ...leaf, ...more }) }) as unknown as TLSSocket;
		t.is(intermediatesOf(sending({ issuerCertificate: { raw: Buffer.alloc(bytes) } })).length, 1);
		t.is(intermediatesOf(sending({})).length, isRemembered ? 1 : 0);
	});
