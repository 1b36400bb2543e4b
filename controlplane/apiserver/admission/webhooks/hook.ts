/** One webhook of a configuration, and whether a request is for it. */
import type {
	MutatingWebhook,
	MutatingWebhookConfiguration,
	ValidatingWebhook,
	ValidatingWebhookConfiguration,
} from '../../../../api/gen/types.ts';
import { forbidden, StatusError } from '../../../../api/status.ts';
import { messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes, ObjectReader } from '../../contracts.ts';
import { matchesRule } from '../matching/rules.ts';
import { matchesNamespaceSelector, matchesObjectSelector } from '../matching/selectors.ts';
import { requestedOf, type Named, type Versions } from '../matching/versions.ts';

export interface Hook {
	/** Unique among all. */
	readonly id: string;
	readonly configuration: string;
	readonly index: number;
	readonly webhook: MutatingWebhook | ValidatingWebhook;
}

/** All webhooks in the order they are called: configurations by name, each in its own order. */
export function hooksOf(configurations: readonly (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[]): readonly Hook[] {
	if (configurations.length === 0) return [];
	return configurations
		.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
		.flatMap(({ metadata: { name = '' }, webhooks = [] }) =>
			webhooks.map((webhook, index) => ({ id: `${name}/${webhook.name}/${index}`, configuration: name, index, webhook })),
		);
}

export interface Matching {
	readonly objects: ObjectReader;
	readonly versions: Versions;
}

/** The version in which the webhook wants to see the request; undefined when it does not. StatusError for a namespace that is gone. */
export function matched({ webhook }: Hook, attributes: AdmissionAttributes, { objects, versions }: Matching): Named | undefined {
	let missing: StatusError | undefined;
	try {
		if (!matchesNamespaceSelector(webhook, attributes, objects)) return undefined;
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		missing = error;
	}
	if (!matchesObjectSelector(webhook, attributes)) return undefined;
	const rules = webhook.rules ?? [];
	const requested = requestedOf(attributes);
	let named = rules.some((rule) => matchesRule(rule, requested, attributes)) ? requested : undefined;
	if (named === undefined && webhook.matchPolicy !== 'Exact')
		for (const rule of rules) named ??= versions.equivalents(requested).find((other) => matchesRule(rule, other, attributes));
	if (named !== undefined && missing !== undefined) throw missing;
	return named;
}

/** A condition that cannot be evaluated refuses the request, as upstream does. */
export function conditionFailed(attributes: AdmissionAttributes, error: unknown): StatusError {
	return forbidden({ group: attributes.group, plural: attributes.resource }, attributes.name, messageOf(error));
}
