/** $(VAR) references in env, command, args and subPathExpr. Pure; what is not found stays as written, "$$" is a dollar. */

export function expand(text: string, lookUp: (name: string) => string | undefined): string {
	let out = '';
	for (let i = 0; i < text.length; i++) {
		const c = text.charAt(i);
		if (c !== '$' || i + 1 >= text.length) {
			out += c;
			continue;
		}
		const after = text.charAt(i + 1);
		if (after === '$') {
			out += '$';
			i++;
			continue;
		}
		const close = after === '(' ? text.indexOf(')', i + 2) : -1;
		if (close < 0) {
			out += c;
			continue;
		}
		const name = text.slice(i + 2, close);
		out += lookUp(name) ?? `$(${name})`;
		i = close;
	}
	return out;
}
