import test from 'ava';
import { createMetrics, type Registry } from '../../../base/metrics.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { BearerAuthenticator } from '../authn/bearer.ts';
import type { TokenAuthenticator } from '../authn/token-authenticator.ts';
import type { Attributes, Authorizer, Decision } from '../contracts.ts';
import { WebhookAuthorizer } from '../authz/webhook.ts';
import type { Remote } from '../webhook/remote.ts';
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

for (const [what, failurePolicy, post, result, open] of [
	['an answer', 'Deny', () => Promise.resolve({ status: { allowed: true } }), 'success', []],
	['a failure that denies', 'Deny', () => Promise.reject(new Error('gone')), 'error', []],
	['a failure without an opinion', 'NoOpinion', () => Promise.reject(new Error('gone')), 'error', ['{name="w",result="error"} 1']],
] as const)
	test(`calls of authorization webhooks are counted: ${what}`, async (t) => {
		const registry = createMetrics();
		const options = {
			version: 'v1',
			timeoutMs: 1000,
			authorizedMs: 0,
			unauthorizedMs: 0,
			failurePolicy,
			conditions: [{ holds: () => true }],
		};
		const measures = new AuthorizerMetrics(registry).webhook('w');
		const webhook = new WebhookAuthorizer(options as never, { post } as unknown as Remote, new VirtualClock(), noLog, measures);
		await webhook.authorize(asked, signal);
		t.deepEqual(await lines(registry, 'apiserver_authorization_webhook_evaluations_total'), [`{name="w",result="${result}"} 1`]);
		t.deepEqual(await lines(registry, 'apiserver_authorization_webhook_evaluations_fail_open_total'), open);
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
