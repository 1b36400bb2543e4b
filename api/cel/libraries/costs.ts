/** cel-go's cost rules that several functions share. */
import { estimates, UNKNOWN, type Estimator } from '../ranges.ts';
import type { Costs } from '../functions.ts';
import { ListValue, MapValue, Opaque, sizeOf, type Value } from '../values.ts';

/** One unit is ten characters walked, or four characters of a pattern. */
export const TRAVERSAL = 0.1;
export const PATTERN = 0.25;

/** What has no size counts as one. */
export const sized = (value: Value | undefined): number => (value === undefined ? 1 : (sizeOf(value) ?? 1));
export const traversal = (size: number): number => Math.ceil(size * TRAVERSAL);

/** Every text inside is walked; what is no text costs one. */
export function wholeWalk(value: Value | undefined): number {
	if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * TRAVERSAL);
	if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL);
	let cost = 0;
	if (value instanceof ListValue) for (const item of value) cost += wholeWalk(item);
	else if (value instanceof MapValue) for (const key of value.keys()) cost += wholeWalk(key) + wholeWalk(value.get(key));
	else cost = 1;
	return cost;
}

/** O(n) of one argument, walked so many times. */
export const walks = (index: number, times = 1): Costs => ({
	cost: (args) => Math.ceil(sized(args[index]) * times * TRAVERSAL),
	estimate: (args, of) => ({ cost: estimates.scale(of.size(args[index]), times * TRAVERSAL) }),
});

/** O(min(m, n)) */
export const SHORTER: Costs = {
	byOverload: true,
	cost: (args) => traversal(Math.min(sized(args[0]), sized(args[1]))),
	estimate: (args, of) => {
		const max = Math.min(of.size(args[0]).max, of.size(args[1]).max);
		return { cost: estimates.scale({ min: max > 0 ? 1 : 0, max }, TRAVERSAL) };
	},
};

/** What two values of one type of a library have to be compared for: nothing of length, but for these. */
const LONGEST_FORMAT = 64;

/** As SHORTER, but values of libraries cost one. */
export const EQUALS: Costs = {
	cost: (args) => (args[0] instanceof Opaque ? 1 : traversal(Math.min(sized(args[0]), sized(args[1])))),
	estimate: (args, of) => {
		const [a, b] = [of.type(args[0]), of.type(args[1])];
		if (a.kind !== 'opaque' || b.kind !== 'opaque' || a.name !== b.name || a.name === 'optional_type')
			return (SHORTER.estimate as Estimator)(args, of);
		const text = of.size(args[1]);
		const max = a.name === 'kubernetes.NamedFormat' ? LONGEST_FORMAT : a.name === 'kubernetes.URL' && text.max < UNKNOWN.max ? text.max : 1;
		return { cost: estimates.scale({ min: 1, max }, TRAVERSAL) };
	},
};

/** O(m+n), with a result as long as both. */
export const JOINS: Costs = {
	byOverload: true,
	cost: (args) => traversal(sized(args[0]) + sized(args[1])),
	estimate: (args, of) => {
		const size = estimates.add(of.size(args[0]), of.size(args[1]));
		return { cost: estimates.scale(size, TRAVERSAL), size };
	},
};

/** O(nm): a text searched for another. */
export const SEARCHES: Costs = {
	cost: (args) => traversal(sized(args[0])) * traversal(sized(args[1])),
	estimate: (args, of) => ({
		cost: estimates.multiply(estimates.scale(of.size(args[0]), TRAVERSAL), estimates.scale(of.size(args[1]), TRAVERSAL)),
	}),
};

/** A pattern run over a text; one is added so that a costly pattern over nothing still costs. */
export const MATCHES: Costs = {
	cost: (args) => traversal(1 + sized(args[0])) * Math.ceil(sized(args[1]) * PATTERN),
	estimate: (args, of) => ({
		cost: estimates.multiply(
			estimates.scale(estimates.add(of.size(args[0]), { min: 1, max: 1 }), TRAVERSAL),
			estimates.scale(of.size(args[1]), PATTERN),
		),
	}),
};
