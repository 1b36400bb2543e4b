/** Authorizers one after the other: the first that allows or denies decides. */
import type { Attributes, Authorizer, Decision } from '../contracts.ts';

/** The group that may do everything, whatever roles say (upstream's privileged-group authorizer). */
export const SUPERUSERS = 'system:masters';

/** Members of system:masters may do anything; everyone else is asked about down the chain. Reasons of authorizers without an opinion are joined. */
export function authorizerChain(authorizers: readonly Authorizer[]): Authorizer {
	return {
		async authorize(asked: Attributes, signal: AbortSignal): Promise<Decision> {
			if (asked.user.groups.includes(SUPERUSERS)) return { allowed: true, denied: false, reason: '' };
			const reasons: string[] = [];
			for (const authorizer of authorizers) {
				const decision = await authorizer.authorize(asked, signal);
				if (decision.allowed || decision.denied) return decision;
				if (decision.reason !== '') reasons.push(decision.reason);
			}
			return { allowed: false, denied: false, reason: reasons.join('\n') };
		},
	};
}
