/** An issuer's keys, fetched from a server of the test's own: who waits for them, and what happens while they cannot be had. */
import { createServer } from 'node:https';
import test, { type ExecutionContext } from 'ava';
import { createMetrics } from '../../../../base/metrics.ts';
import { VirtualClock } from '../../../../base/virtual-clock.ts';
import { listening, loopbackTls } from '../../../../test/fakes/loopback-tls.ts';
import { JwtMetrics } from './jwt-metrics.ts';
import { OidcProvider } from './provider.ts';

const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** An issuer that answers once it may, and says when somebody asks for its keys. */
async function issuerOf(t: ExecutionContext) {
	const clock = new VirtualClock(Date.now());
	const { authority, cert, key } = await loopbackTls(clock);
	const made = { fetches: 0, may: Promise.resolve(), asked: Promise.withResolvers<void>() };
	const server = createServer({ cert, key }, (request, response) => {
		const isDiscovery = request.url === '/.well-known/openid-configuration';
		if (!isDiscovery) {
			made.fetches++;
			made.asked.resolve();
		}
		const answer = isDiscovery ? { issuer: url, jwks_uri: `${url}/keys` } : { keys: [] };
		(isDiscovery ? Promise.resolve() : made.may).then(
			() => response.end(JSON.stringify(answer)),
			() => response.destroy(),
		);
	});
	const url = await listening(server);
	t.teardown(() => {
		server.close();
		server.closeAllConnections();
	});
	return { clock, url, made, issuer: { url, audiences: ['a'], certificateAuthority: authority.certPem } };
}

test('who gives up waiting takes the keys from nobody else', async (t) => {
	const { clock, issuer, made } = await issuerOf(t);
	const gate = Promise.withResolvers<void>();
	made.may = gate.promise;
	using provider = new OidcProvider(issuer, clock);
	const leaver = new AbortController();
	const left = provider.keys(leaver.signal);
	const stayed = provider.keys(NEVER);
	await made.asked.promise;
	leaver.abort(new Error('gone'));
	await t.throwsAsync(left);
	gate.resolve();
	await t.notThrowsAsync(stayed);
	await t.notThrowsAsync(provider.keys(NEVER));
	t.is(made.fetches, 1);
});

test('old keys are good while their issuer does not answer', async (t) => {
	const { clock, issuer, made } = await issuerOf(t);
	using provider = new OidcProvider(issuer, clock);
	const first = await provider.keys(NEVER);
	made.may = new Promise(() => {});
	made.asked = Promise.withResolvers();
	await clock.advance(HOUR_MS);
	t.is(await provider.keys(NEVER), first);
	await made.asked.promise;
	t.is(await provider.keys(NEVER), first);
	t.is(made.fetches, 2, 'asked for once');
});

test('an issuer that is not believed any more is not counted again', async (t) => {
	const { clock, url, issuer, made } = await issuerOf(t);
	made.may = new Promise(() => {});
	const registry = createMetrics();
	const metrics = new JwtMetrics(registry, clock);
	const provider = new OidcProvider(issuer, clock, metrics);
	const waiting = provider.keys(NEVER);
	await made.asked.promise;
	provider[Symbol.dispose]();
	metrics.forget(url);
	await t.throwsAsync(waiting);
	t.notRegex(await registry.metrics(), /^apiserver_authentication_jwt_authenticator_jwks_fetch\S*\{/m);
});
