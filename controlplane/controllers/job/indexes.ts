/** Sets of completion indexes as text, "1,3-5,7", as Job status and annotations write them. Pure. */

export function parseIndexes(text: string, completions: number): Set<number> {
	const found = new Set<number>();
	for (const part of text.split(',')) {
		if (part === '') continue;
		const [first = NaN, last = first] = part.split('-').map(Number);
		for (let i = first; i <= last && i < completions; i++) found.add(i);
	}
	return found;
}

/** Runs of three or more (and of two) become ranges, as upstream writes them. */
export function formatIndexes(indexes: Iterable<number>): string {
	const sorted = [...indexes].sort((a, b) => a - b);
	const parts: string[] = [];
	for (let i = 0; i < sorted.length; ) {
		let end = i;
		while (sorted[end + 1] === (sorted[end] ?? NaN) + 1) end++;
		const [first, last] = [sorted[i], sorted[end]];
		parts.push(first === last ? `${first}` : end === i + 1 ? `${first},${last}` : `${first}-${last}`);
		i = end + 1;
	}
	return parts.join(',');
}
