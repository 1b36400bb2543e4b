/** Authorizers one after the other: the first that allows or denies decides. */
import type { Attributes, Authorizer, Decision } from '../contracts.ts';

/** The group that may do everything, whatever roles say (upstream's privileged-group authorizer). */
export const SUPERUSERS = 'system:masters';
const YES: Decision = { allowed: true, denied: false, reason: '' };

/** Members of system:masters may do anything; everyone else is asked about down the chain. Reasons of authorizers without an opinion are joined. */
export function authorizerChain(authorizers: readonly Authorizer[]): Authorizer {
	const inMemory = authorizers.every((a) => a.decide !== undefined);
	return {
		...(inMemory ? { decide: (asked) => firstOpinion(asked, authorizers as readonly Required<Authorizer>[]) } : {}),
		async authorize(asked: Attributes, signal: AbortSignal): Promise<Decision> {
			if (asked.user.groups.includes(SUPERUSERS)) return YES;
			const reasons: string[] = [];
			const errors: string[] = [];
			for (const authorizer of authorizers) {
				const decision = authorizer.decide?.(asked) ?? (await authorizer.authorize(asked, signal));
				if (decision.allowed || decision.denied) return decision;
				if (decision.reason !== '') reasons.push(decision.reason);
				if (decision.error !== undefined) errors.push(decision.error);
			}
			return { allowed: false, denied: false, reason: reasons.join('\n'), ...(errors.length === 0 ? {} : { error: aggregate(errors) }) };
		},
	};
}

/** The same without waiting for any of them. */
function firstOpinion(asked: Attributes, authorizers: readonly Required<Authorizer>[]): Decision {
	if (asked.user.groups.includes(SUPERUSERS)) return YES;
	const reasons: string[] = [];
	for (const authorizer of authorizers) {
		const decision = authorizer.decide(asked);
		if (decision.allowed || decision.denied) return decision;
		if (decision.reason !== '') reasons.push(decision.reason);
	}
	return { allowed: false, denied: false, reason: reasons.join('\n') };
}

/** As Go prints several errors. */
function aggregate(errors: readonly string[]): string {
	return errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]`;
}
