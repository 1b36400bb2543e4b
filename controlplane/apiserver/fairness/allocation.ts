/**
 * Shares out the server's seats: each level gets its fair fraction of what it wants, between its bounds.
 * The one solution for which, with some fraction f, every level has min(upper, max(lower, f * target)) and all add up to the sum. Pure.
 */

export interface Claim {
	readonly lower: number;
	readonly upper: number;
	/** What the level would like to have; at least its lower bound. */
	readonly target: number;
}

export interface Allocation {
	readonly seats: readonly number[];
	/** The fraction f. */
	readonly fairFraction: number;
}

/** A target below this counts as this (upstream's MinTarget). */
const MIN_TARGET = 0.001;

/** Undefined: the bounds cannot be met. */
export function allocate(sum: number, claims: readonly Claim[]): Allocation | undefined {
	const wanted = claims.map((claim) => ({ ...claim, target: Math.max(claim.target, MIN_TARGET) }));
	const total = (fraction: number): number => wanted.reduce((all, claim) => all + share(claim, fraction), 0);
	const lowest = wanted.reduce((all, { lower }) => all + lower, 0);
	const highest = wanted.reduce((all, { upper }) => all + upper, 0);
	const epsilon = 1e-7;
	if (lowest - sum > epsilon || sum - highest > epsilon) return undefined;
	// The sum grows with the fraction, in straight pieces between those fractions at which a level meets a bound.
	const bends = wanted.flatMap(({ lower, upper, target }) => [lower / target, upper / target]).sort((a, b) => a - b);
	let from = 0;
	let fairFraction = bends.at(-1) ?? 0;
	for (const to of bends) {
		const [low, high] = [total(from), total(to)];
		if (high >= sum) {
			fairFraction = high - low < epsilon ? to : from + ((sum - low) / (high - low)) * (to - from);
			break;
		}
		from = to;
	}
	return { seats: wanted.map((claim) => share(claim, fairFraction)), fairFraction };
}

function share({ lower, upper, target }: Claim, fraction: number): number {
	return Math.max(lower, Math.min(upper, fraction * target));
}
