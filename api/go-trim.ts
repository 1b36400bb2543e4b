/** A text without the white space around it, as Go's strings.TrimSpace sees it: U+0085 is some, U+FEFF is none. */
export function goTrim(text: string): string {
	return text.replace(/^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/g, '');
}
