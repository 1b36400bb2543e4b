/** The authorizers that never look: everything is allowed, or nothing (upstream's AlwaysAllow and AlwaysDeny). */
import type { Authorizer, Decision } from '../contracts.ts';

export function always(allowed: boolean): Authorizer {
	const decision: Decision = { allowed, denied: false, reason: allowed ? '' : 'Everything is forbidden.' };
	return { authorize: () => Promise.resolve(decision), decide: () => decision };
}
