/** What is asked of a webhook, if anything: rules, selectors and conditions decide, then the objects are brought into the version it knows. */
import type { MatchCondition } from '../../../../api/gen/types.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import type { Versioned } from '../matching/versions.ts';
import type { WebhookCaller } from '../../webhook/caller.ts';
import { conditionFailed, matched, type Hook, type Matching } from './hook.ts';

/** CEL conditions of webhooks. */
export interface MatchConditions {
	/** False: not for this request. Throws where they cannot be evaluated. */
	hold(conditions: readonly MatchCondition[], attributes: AdmissionAttributes, versioned: Versioned, signal: AbortSignal): Promise<boolean>;
}

export interface WebhookDeps extends Matching {
	readonly caller: WebhookCaller;
	readonly clock: Clock;
	readonly conditions: MatchConditions;
}

export async function question(
	hook: Hook,
	attributes: AdmissionAttributes,
	deps: WebhookDeps,
	signal: AbortSignal,
): Promise<Versioned | undefined> {
	const named = matched(hook, attributes, deps);
	if (named === undefined) return undefined;
	const { versions, conditions } = deps;
	const versioned = await versions.versioned(named, attributes, signal);
	const { matchConditions = [], failurePolicy } = hook.webhook;
	if (matchConditions.length === 0) return versioned;
	try {
		return (await conditions.hold(matchConditions, attributes, versioned, signal)) ? versioned : undefined;
	} catch (error) {
		signal.throwIfAborted();
		if (failurePolicy === 'Ignore') return undefined;
		throw conditionFailed(attributes, error);
	}
}
