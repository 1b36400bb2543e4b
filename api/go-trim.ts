/** Trimming as Go has it, in the time of the text's length: a pattern takes the square of what is inside. */

/** As strings.TrimSpace: U+0085 is white space, U+FEFF is none. */
export function goTrim(text: string): string {
	return trimmed(text, (char) => char === '\u0085' || (char !== '\ufeff' && /\s/.test(char)));
}

/** As strings.TrimFunc, by code unit. */
export function trimmed(text: string, goes: (char: string) => boolean): string {
	let [from, to] = [0, text.length];
	while (from < to && goes(text.charAt(from))) from++;
	while (to > from && goes(text.charAt(to - 1))) to--;
	return text.slice(from, to);
}
