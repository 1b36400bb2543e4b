/** What a webhook configuration that is updated may keep because it was there before (admissionregistration validationOptions). */
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../gen/types.ts';
import { same } from '../rule.ts';
import { isWrongSelector } from '../selectors.ts';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Each a rule that is not asked. */
export type WebhookOption = 'conditions' | 'reviewVersions' | 'selectorValues' | 'sideEffects' | 'uniqueNames';

export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];
export const NO_SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun'];

export function webhookOptions(object: WebhookConfiguration, old: WebhookConfiguration): ReadonlySet<WebhookOption> {
	const [hooks, before] = [object.webhooks ?? [], old.webhooks ?? []];
	const found = new Set<WebhookOption>();
	if (hooks.length === before.length && before.every((hook, i) => same(hook.matchConditions, hooks[i]?.matchConditions)))
		found.add('conditions');
	if (before.some(({ admissionReviewVersions: given = [] }) => given.length > 0 && !given.some((one) => REVIEW_VERSIONS.includes(one))))
		found.add('reviewVersions');
	if (before.some((hook) => isWrongSelector(hook.namespaceSelector) || isWrongSelector(hook.objectSelector))) found.add('selectorValues');
	if (before.some(({ sideEffects }) => !NO_SIDE_EFFECTS.includes(sideEffects ?? ''))) found.add('sideEffects');
	if (new Set(before.map(({ name }) => name)).size < before.length) found.add('uniqueNames');
	return found;
}
