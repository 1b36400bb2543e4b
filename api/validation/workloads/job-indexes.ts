/** Indexes of a Job in their text form, "1,3-5": ascending, below the number of completions. */

/** What is wrong with the text; undefined: nothing. */
export function indexesComplaint(text: string, completions: number): string | undefined {
	if (text === '') return undefined;
	let last: number | undefined;
	for (const interval of text.split(',')) {
		const limits = interval.split('-');
		if (limits.length > 2)
			return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
		const numbers: number[] = [];
		for (const limit of limits) {
			if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
			if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
			numbers.push(Number(limit));
		}
		const [first = 0, end = first] = numbers;
		if (numbers.length > 1 && first >= end) return nonIncreasing(first, end);
		if (last !== undefined && last >= first) return nonIncreasing(last, first);
		last = end;
	}
	return undefined;
}

/** Whether an index stands in both texts, which are sound. */
export function overlapping(a: string, b: string): number | undefined {
	const ranges = (text: string): (readonly [number, number])[] =>
		text === ''
			? []
			: text.split(',').map((part) => {
					const [first = 0, end = first] = part.split('-').map(Number);
					return [first, end] as const;
				});
	for (const [first, end] of ranges(a))
		for (const [start, stop] of ranges(b)) if (first <= stop && start <= end) return Math.max(first, start);
	return undefined;
}

function nonIncreasing(previous: number, current: number): string {
	return `non-increasing order, previous: ${previous}, current: ${current}`;
}
