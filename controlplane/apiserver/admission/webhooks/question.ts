/** What is asked of a webhook, if anything: rules, selectors and conditions decide, then the objects are brought into the version it knows. */
import type { MatchCondition } from '../../../../api/gen/types.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import type { Versioned } from '../matching/versions.ts';
import type { WebhookMeasures } from '../../metrics/webhook-metrics.ts';
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
	/** Absent: nobody counts. */
	readonly measures?: WebhookMeasures | undefined;
}

export async function question(
	hook: Hook,
	attributes: AdmissionAttributes,
	deps: WebhookDeps,
	type: 'admit' | 'validate',
	signal: AbortSignal,
): Promise<Versioned | undefined> {
	const named = matched(hook, attributes, deps);
	if (named === undefined) return undefined;
	const { versions, conditions, clock, measures } = deps;
	const versioned = await versions.versioned(named, attributes, signal);
	const { matchConditions = [], failurePolicy } = hook.webhook;
	if (matchConditions.length === 0) return versioned;
	const started = clock.monotonic();
	const of = { name: hook.webhook.name, kind: 'webhook', type, operation: attributes.operation } as const;
	const decided = (outcome: 'match' | 'exclusion' | 'error'): void =>
		measures?.conditions(of, outcome, (clock.monotonic() - started) / 1000);
	try {
		const holds = await conditions.hold(matchConditions, attributes, versioned, signal);
		decided(holds ? 'match' : 'exclusion');
		return holds ? versioned : undefined;
	} catch (error) {
		signal.throwIfAborted();
		decided('error');
		if (failurePolicy === 'Ignore') return undefined;
		throw conditionFailed(attributes, error);
	}
}
