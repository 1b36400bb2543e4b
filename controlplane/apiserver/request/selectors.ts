/** The text form of selectors in queries, read as apimachinery's labels and fields packages do, with their complaints. Pure. */
import { labelValue, qualifiedName } from '../../../api/validation/names.ts';
import { badRequest } from '../../../api/status.ts';

export interface LabelRequirement {
	readonly key: string;
	readonly operator: 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';
	readonly values: readonly string[];
}

export interface FieldRequirement {
	readonly field: string;
	readonly operator: '=' | '==' | '!=';
	readonly value: string;
}

const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'];
const SYMBOLS = /^(==|!=|[=!(),<>])/;

const refuse = (why: string): Error => badRequest(`unable to parse requirement: ${why}`);

export function parseLabelSelector(text: string): LabelRequirement[] {
	const tokens = tokensOf(text);
	const out: LabelRequirement[] = [];
	let at = 0;
	const peek = (): string => tokens[at] ?? '';
	if (tokens.length === 0) return out;
	for (;;) {
		out.push(requirement());
		if (at >= tokens.length) return out.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
		if (peek() !== ',') throw refuse(`found '${peek()}', expected: ',' or 'end of string'`);
		at++;
		if (at >= tokens.length) throw refuse(`found '', expected: identifier after ','`);
	}

	function requirement(): LabelRequirement {
		const negated = peek() === '!';
		if (negated) at++;
		const key = peek();
		if (key === '' || SYMBOLS.test(key)) throw refuse(`found '${key}', expected: !, identifier, or 'end of string'`);
		at++;
		checkKey(key);
		if (negated) return { key, operator: '!', values: [] };
		if (at >= tokens.length || peek() === ',') return { key, operator: 'exists', values: [] };
		const operator = peek();
		if (!OPERATORS.includes(operator)) throw refuse(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
		at++;
		if (operator === 'in' || operator === 'notin') return checked({ key, operator, values: set() });
		const value = at >= tokens.length || peek() === ',' ? '' : (tokens[at++] as string);
		const named = operator === '>' ? 'gt' : operator === '<' ? 'lt' : (operator as '=');
		return checked({ key, operator: named, values: [value] });
	}

	function set(): readonly string[] {
		if (peek() !== '(') throw refuse(`found '${peek()}' expected: '('`);
		at++;
		const values = new Set<string>();
		for (let expectValue = true; ; ) {
			const token = tokens[at];
			if (token === undefined) throw refuse(`found '', expected: ',' or ')'`);
			at++;
			if (token === ')') {
				if (expectValue) values.add('');
				return [...values].sort();
			}
			if (token === ',') {
				if (expectValue) values.add('');
				expectValue = true;
			} else if (!expectValue || SYMBOLS.test(token)) throw refuse(`found '${token}', expected: ',' or ')'`);
			else {
				values.add(token);
				expectValue = false;
			}
		}
	}
}

function checkKey(key: string): void {
	const [why] = qualifiedName(key);
	if (why !== undefined) throw refuse(`<nil>: Invalid value: ${JSON.stringify(key)}: ${why}`);
}

function checked(requirement: LabelRequirement): LabelRequirement {
	const { key, operator, values } = requirement;
	for (const [i, value] of values.entries()) {
		if ((operator === 'gt' || operator === 'lt') && !/^[+-]?\d+$/.test(value))
			throw refuse(`values[${i}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
		const [why] = labelValue(value);
		if (why !== undefined) throw refuse(`values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${why}`);
	}
	return requirement;
}

function tokensOf(text: string): string[] {
	const tokens: string[] = [];
	for (let rest = text.trim(); rest !== ''; rest = rest.trimStart()) {
		const token = SYMBOLS.exec(rest)?.[0] ?? (/^[^\s=!(),<>]+/.exec(rest)?.[0] as string);
		tokens.push(token);
		rest = rest.slice(token.length);
	}
	return tokens;
}

/** Terms separated by commas; a backslash takes away the meaning of the next character. */
export function parseFieldSelector(text: string): FieldRequirement[] {
	const out: FieldRequirement[] = [];
	for (const term of text.split(/(?<!\\),/)) {
		if (term === '') continue;
		const match = /^((?:\\.|[^\\=!])*?)(==|!=|=)(.*)$/s.exec(term);
		if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
		const [, field = '', operator, value = ''] = match;
		out.push({ field, operator: operator as '=', value: value.replaceAll(/\\([\\,=])/g, '$1') });
	}
	return out;
}

/** A LabelSelector (or a plain map) in its text form, as scale subresources show it. */
export function formatSelector(selector: unknown): string {
	const { matchLabels, matchExpressions } = selector as {
		matchLabels?: object;
		matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
	};
	const isPlain = matchLabels === undefined && matchExpressions === undefined;
	const labels = Object.entries((isPlain ? selector : (matchLabels ?? {})) as Record<string, string>).map(([key, value]) => ({
		key,
		text: `${key}=${value}`,
	}));
	const expressions = (matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
		key,
		text: expressionText(key, operator, values),
	}));
	return [...labels, ...expressions]
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map((r) => r.text)
		.join(',');
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
	const list = `(${values.toSorted().join(',')})`;
	return operator === 'Exists' ? key : operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator === 'In' ? 'in' : 'notin'} ${list}`;
}
