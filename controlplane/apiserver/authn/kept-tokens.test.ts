/** What of good tokens is remembered, and which writings of a token are one. */
import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { realClock } from '../../../base/clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import type { Credentials } from '../contracts.ts';
import { BearerAuthenticator } from './bearer.ts';
import { compactOf } from './compact-token.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

const NEVER = new AbortController().signal;
const user = { name: 'u', uid: '', groups: [], extra: {} };
const all: TokenAuthenticator = {
	authenticateToken: (_token, audiences) => Promise.resolve({ user, audiences }),
	recallToken: (_token, audiences) => ({ user, audiences }),
};
const credentials = (authorization: string): Credentials => ({ headers: { authorization } }) as unknown as Credentials;

for (const [what, header, isKept] of [
	['a token', 'Bearer abc', true],
	['a token with much behind it, which says nothing', `Bearer abc ${'x'.repeat(100_000)}`, false],
] as const)
	test(`${what} is ${isKept ? '' : 'not '}remembered`, async (t) => {
		const bearer = new BearerAuthenticator([all], []);
		t.is(await bearer.authenticate(credentials(header), NEVER), user);
		t.is(bearer.recall(credentials(header)), isKept ? user : undefined);
	});

for (const [token, want] of [
	['a-_.b.c', 'a-_.b.c'],
	['a.b.', 'a.b.'],
	['a.b.c\n', 'a.b.c'],
	[' a\t.b\r\n.c d', 'a.b.cd'],
	['a.b c.d', undefined],
	['a.b\t.d', undefined],
	['a.b.c==', undefined],
	['a.b', undefined],
	['a.b.c.d', undefined],
	['a.b.+/', undefined],
	['', undefined],
] as const)
	test(`compactOf(${JSON.stringify(token)})`, (t) => t.is(compactOf(token), want));

test('a token of a service account with padding is none; spaces outside of its claims are passed over', async (t) => {
	const stop = new AbortController();
	const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
	const server = await testApiServer({ clock: realClock, log: noLog, standard: { serviceAccountKey: key } }, stop.signal);
	const { client } = server;
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'a', namespace: 'default' } });
	const post = async (path: string, body: object): Promise<{ readonly status: { token: string; authenticated?: boolean } }> => {
		const headers = { 'content-type': 'application/json' };
		const answer = await client.transport.request({ method: 'POST', path, headers, body: JSON.stringify(body) }, stop.signal);
		return (await new Response(ReadableStream.from(answer.body) as never).json()) as never;
	};
	const { token } = (await post('/api/v1/namespaces/default/serviceaccounts/a/token', { spec: {} })).status;
	const [middle, claims] = [token.length - 20, token.indexOf('.') + 5];
	for (const [text, isGood] of [
		[token, true],
		[`${token}==`, false],
		[`${token.slice(0, middle)}\t${token.slice(middle)}`, true],
		[`${token}\n`, true],
		[`${token.slice(0, claims)} ${token.slice(claims)}`, false],
	] as const) {
		const { status } = await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: text } });
		t.is(status.authenticated === true, isGood, text);
	}
	stop.abort();
	await server.stopped;
});
