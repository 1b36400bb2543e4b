import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { createMetrics, type Registry } from '../../../base/metrics.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { BearerAuthenticator } from '../authn/bearer.ts';
import type { TokenAuthenticator } from '../authn/token-authenticator.ts';
import type { Attributes, Authorizer, Decision } from '../contracts.ts';
import { WebhookAuthorizer } from '../authz/webhook.ts';
import { Remote } from '../webhook/remote.ts';
import { AuthorizerMetrics } from './authorizer-metrics.ts';
import { CredentialMetrics } from './credential-metrics.ts';

const signal = new AbortController().signal;
const user = { name: 'u', uid: '', groups: [], extra: {} };
const asked: Attributes = { type: 'path', user, verb: 'get', path: '/x' };

/** The lines of a metric, without its name. */
async function lines(registry: Registry, name: string): Promise<readonly string[]> {
	const text = await registry.metrics();
	return text
		.split('\n')
		.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
		.map((line) => line.slice(name.length));
}

const says = (decision: Partial<Decision>): Authorizer => {
	const whole: Decision = { allowed: false, denied: false, reason: '', ...decision };
	return { authorize: () => Promise.resolve(whole), decide: () => whole };
};

for (const [what, decision, want] of [
	['allowed', { allowed: true }, ['{type="RBAC",name="rbac",decision="allowed"} 2']],
	['denied', { denied: true }, ['{type="RBAC",name="rbac",decision="denied"} 2']],
	['no opinion', {}, []],
] as const)
	test(`decisions of an authorizer are counted: ${what}`, async (t) => {
		const registry = createMetrics();
		const counted = new AuthorizerMetrics(registry).counted('RBAC', 'rbac', says(decision));
		counted.decide?.(asked);
		await counted.authorize(asked, signal);
		t.deepEqual(await lines(registry, 'apiserver_authorization_decisions_total'), want);
	});

test('an authorizer that has to wait has no way to decide at once when it is counted', (t) => {
	const { authorize } = says({});
	t.is(new AuthorizerMetrics(createMetrics()).counted('Webhook', 'w', { authorize }).decide, undefined);
});

/** Does not wait before it asks again. */
class Hasty extends VirtualClock {
	override sleep(_ms: number, aborting?: AbortSignal): Promise<void> {
		aborting?.throwIfAborted();
		return Promise.resolve();
	}
}

const FAILS = [500, 500, 500, 500, 500];

for (const [what, failurePolicy, answers, results, open] of [
	['an answer', 'Deny', [200], ['{name="w",result="success"} 1'], []],
	[
		'one after others that failed',
		'NoOpinion',
		[500, 504, 200],
		['{name="w",result="error"} 1', '{name="w",result="success"} 1', '{name="w",result="timeout"} 1'],
		[],
	],
	['failures that deny', 'Deny', FAILS, ['{name="w",result="error"} 5'], []],
	['failures without an opinion', 'NoOpinion', FAILS, ['{name="w",result="error"} 5'], ['{name="w",result="error"} 1']],
	['nobody waits any more', 'NoOpinion', ['leave'], ['{name="w",result="canceled"} 1'], []],
] as const)
	test(`calls of authorization webhooks are counted, each of them: ${what}`, async (t) => {
		const registry = createMetrics();
		const waiting: (number | 'leave')[] = [...answers];
		const leaving = new AbortController();
		const server = createServer((_request, response) => {
			const code = waiting.shift();
			if (code === 'leave') leaving.abort(new Error('gone'));
			else response.writeHead(code ?? 400).end(code === 200 ? '{"status":{"allowed":true}}' : '');
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		t.teardown(() => (server.close(), server.closeAllConnections()));
		const options = {
			...({ version: 'v1', timeoutMs: 1000, authorizedMs: 0, unauthorizedMs: 0 } as const),
			...{ failurePolicy, conditions: [{ expression: 'true', holds: () => true }] },
		};
		const measures = new AuthorizerMetrics(registry).webhook('w');
		const clock = new Hasty();
		using remote = new Remote({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }, clock);
		const webhook = new WebhookAuthorizer(options, remote, clock, noLog, measures);
		await webhook.authorize(asked, leaving.signal);
		t.deepEqual([...(await lines(registry, 'apiserver_authorization_webhook_evaluations_total'))].sort(), [...results]);
		t.deepEqual(await lines(registry, 'apiserver_authorization_webhook_evaluations_fail_open_total'), [...open]);
		t.deepEqual(await lines(registry, 'apiserver_authorization_match_condition_evaluation_seconds_count'), ['{name="w",type="Webhook"} 1']);
	});

test('tokens are counted as known or verified', async (t) => {
	const registry = createMetrics();
	const good = new Set(['good']);
	const tokens: TokenAuthenticator = {
		authenticateToken: (token) => Promise.resolve(good.has(token) ? { user, audiences: [] } : undefined),
		recallToken: (token) => (good.has(token) ? { user, audiences: [] } : undefined),
	};
	const bearer = new BearerAuthenticator([tokens], [], new CredentialMetrics(registry, new VirtualClock()));
	const credentials = (token: string) => ({ headers: { authorization: `Bearer ${token}` } }) as never;
	await bearer.authenticate(credentials('good'), signal);
	await t.throwsAsync(bearer.authenticate(credentials('bad'), signal));
	bearer.recall(credentials('good'));
	t.is(bearer.recall(credentials('bad')), undefined);
	t.deepEqual(await lines(registry, 'authentication_token_cache_request_total'), ['{status="hit"} 1', '{status="miss"} 2']);
	t.deepEqual(await lines(registry, 'authentication_token_cache_fetch_total'), ['{status="ok"} 1', '{status="error"} 1']);
	t.deepEqual(await lines(registry, 'authentication_token_cache_active_fetch_count'), ['{status="in_flight"} 0', '{status="blocked"} 0']);
});

test('certificates are counted by how long they last', async (t) => {
	const registry = createMetrics();
	const clock = new VirtualClock();
	new CredentialMetrics(registry, clock).certificate(clock.now() + 3 * 3_600_000);
	const text = await lines(registry, 'apiserver_client_certificate_expiration_seconds_bucket');
	t.deepEqual(
		text.filter((line) => line.includes('"7200"') || line.includes('"21600"')),
		['{le="7200"} 0', '{le="21600"} 1'],
	);
});
