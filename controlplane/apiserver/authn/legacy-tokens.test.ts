import test from 'ava';
import type { Secret, ServiceAccount } from '../../../api/gen/types.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { ObjectWriter } from '../contracts.ts';
import { ServiceAccountMetrics } from '../metrics/service-account-metrics.ts';
import { LegacyTokens } from './legacy-tokens.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const secretOf = (labels: Record<string, string> = {}): Secret => ({ metadata: { namespace: 'n', name: 's', uid: 'u', labels } });
const account = (...secrets: readonly string[]): ServiceAccount => ({
	metadata: { namespace: 'n', name: 'a' },
	secrets: secrets.map((name) => ({ name })),
});

for (const [name, labels, written] of [
	['the first use', {}, '2026-01-05'],
	['the first use of a day', { 'kubernetes.io/legacy-token-last-used': '2026-01-04' }, '2026-01-05'],
	['one more of the day', { 'kubernetes.io/legacy-token-last-used': '2026-01-05' }, undefined],
	['a server whose clock is ahead noted it', { 'kubernetes.io/legacy-token-last-used': '2026-01-06' }, undefined],
] as const)
	test(`the use of a secret's token is noted on it: ${name}`, async (t) => {
		const registry = createMetrics();
		let changed: Secret | undefined;
		const change = (_resource: unknown, key: string, transform: (secret: Secret) => Secret): Promise<Secret> => {
			t.is(key, 'n/s');
			changed = transform(secretOf(labels));
			return Promise.resolve(changed);
		};
		const tokens = new LegacyTokens(new VirtualClock(NOW), { change } as unknown as ObjectWriter, new ServiceAccountMetrics(registry));
		tokens.use(secretOf(labels), account('s'));
		t.is(changed?.metadata.labels?.['kubernetes.io/legacy-token-last-used'], written);
		const text = await registry.metrics();
		for (const line of ['legacy_tokens_total 1', 'legacy_auto_token_uses_total 1', 'legacy_manual_token_uses_total 0'])
			t.true(text.includes(`serviceaccount_${line}\n`), line);
	});

test('a token that is marked as invalid is refused, and counted so', async (t) => {
	const registry = createMetrics();
	const tokens = new LegacyTokens(new VirtualClock(NOW), undefined, new ServiceAccountMetrics(registry));
	const marked = secretOf({ 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' });
	t.throws(() => tokens.use(marked, account()), {
		message: /^the token in secret n\/s for service account n\/a has been marked invalid\./,
	});
	t.true((await registry.metrics()).includes('serviceaccount_invalid_legacy_auto_token_uses_total 1\n'));
});
