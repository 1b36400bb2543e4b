/** A text without the white space around it, as Go's strings.TrimSpace sees it: U+0085 is some, U+FEFF is none. In the time of its length. */
export function goTrim(text: string): string {
	let [from, to] = [0, text.length];
	while (from < to && isSpace(text, from)) from++;
	while (to > from && isSpace(text, to - 1)) to--;
	return text.slice(from, to);
}

function isSpace(text: string, at: number): boolean {
	const char = text.charAt(at);
	return char === '\u0085' || (char !== '\ufeff' && /\s/.test(char));
}
