/** Indexes of a Job in their text form, "1,3-5": ascending, below the number of completions. */

type Interval = readonly [first: number, end: number];

/** Of 64 bits, as Go's Atoi reads. */
const MAX_INT = 2n ** 63n - 1n;

/** What is wrong with the text; undefined: nothing. */
export function indexesComplaint(text: string, completions: number): string | undefined {
	if (text === '') return undefined;
	let last: number | undefined;
	for (const part of text.split(',')) {
		const interval = intervalOf(part, completions);
		if (typeof interval === 'string') return interval;
		const [first, end] = interval;
		if (last !== undefined && last >= first) return nonIncreasing(last, first);
		last = end;
	}
	return undefined;
}

/** How many a sound text tells. */
export function countOf(text: string): number {
	const intervals = text === '' ? [] : text.split(',').map((part) => intervalOf(part, Number.POSITIVE_INFINITY) as Interval);
	return intervals.reduce((sum, [first, end]) => sum + end - first + 1, 0);
}

/** The first index that stands in both texts; intervals that are none are passed over. */
export function overlapping(a: string, b: string, completions: number): number | undefined {
	const sound = (text: string): Interval[] =>
		(text === '' ? [] : text.split(',')).map((part) => intervalOf(part, completions)).filter((one) => typeof one !== 'string');
	const [ones, others] = [sound(a), sound(b)];
	for (let i = 0, j = 0; ; ) {
		const [one, other] = [ones[i], others[j]];
		if (one === undefined || other === undefined) return undefined;
		if (one[0] <= other[1] && other[0] <= one[1]) return Math.max(one[0], other[0]);
		if (one[0] <= other[0]) i++;
		else j++;
	}
}

/** A text: why it is none. */
function intervalOf(part: string, completions: number): Interval | string {
	const limits = part.split('-');
	if (limits.length > 2)
		return `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
	const numbers: number[] = [];
	for (const limit of limits) {
		if (!/^[+-]?\d+$/.test(limit) || BigInt(limit.replace(/^\+/, '')) > MAX_INT)
			return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
		if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
		numbers.push(Number(limit));
	}
	const [first = 0, end = first] = numbers;
	return numbers.length > 1 && first >= end ? nonIncreasing(first, end) : [first, end];
}

function nonIncreasing(previous: number, current: number): string {
	return `non-increasing order, previous: ${previous}, current: ${current}`;
}
