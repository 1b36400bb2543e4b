/** Sets of small numbers as the kernel writes them: "0-3,8,10-11". Pure. */

/** Ascending, each once; empty for an empty text. RangeError for what is no list. */
export function parseCpuList(text: string): readonly number[] {
	const found = new Set<number>();
	for (const part of text.trim().split(',')) {
		if (part === '') continue;
		const match = /^(\d+)(?:-(\d+))?$/.exec(part.trim());
		const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
		if (match === null || last < first) throw new RangeError(`"${text}" is no list of CPUs`);
		for (let id = first; id <= last; id++) found.add(id);
	}
	return ascending(found);
}

export function formatCpuList(ids: Iterable<number>): string {
	const runs: [first: number, last: number][] = [];
	for (const id of ascending(ids)) {
		const run = runs.at(-1);
		if (run !== undefined && run[1] + 1 === id) run[1] = id;
		else runs.push([id, id]);
	}
	return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

function ascending(ids: Iterable<number>): readonly number[] {
	return [...new Set(ids)].toSorted((a, b) => a - b);
}
