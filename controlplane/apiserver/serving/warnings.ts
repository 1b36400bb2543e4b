/** How much of warnings goes into headers (apiserver endpoints/filters/warning.go): all, or the beginnings of the first ones. */

/** Characters of all together, and of each once they are too many. */
const MOST = 4 * 1024;
const MOST_OF_ONE = 256;

/** Each once; none with control characters, which no header can tell. */
export function shortened(warnings: readonly string[]): readonly string[] {
	const all = [...new Set(warnings)].filter((text) => text !== '' && !/\p{Cc}/u.test(text));
	if (all.reduce((sum, text) => sum + text.length, 0) <= MOST) return all;
	const kept: string[] = [];
	let written = 0;
	for (const text of all) {
		if (written >= MOST) break;
		const short = text.length <= MOST_OF_ONE ? text : [...text.slice(0, 2 * MOST_OF_ONE)].slice(0, MOST_OF_ONE).join('');
		kept.push(short);
		written += short.length;
	}
	return kept;
}
