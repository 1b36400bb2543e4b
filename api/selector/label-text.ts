/** The text form of label selectors: "app=web,tier in (a, b),!legacy" (apimachinery labels). Error texts are upstream's. */
import type { LabelSelector } from '../gen/types.ts';
import { int64Error } from '../go-integer.ts';
import { goQuote } from '../go-quote.ts';
import { badRequest, type StatusError } from '../status.ts';
import { labelValue, qualifiedName } from '../validation/names.ts';
import { tokens, type Token, type TokenKind } from './label-tokens.ts';
import { meets } from './requirement.ts';

export interface LabelRequirement {
	readonly key: string;
	readonly operator: 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';
	readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** The requirements; StatusError BadRequest for what is no selector. */
export function parseLabelSelector(text: string): LabelRequirement[] {
	return new Parser(text).requirements();
}

export function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
	return meets(MEANING[operator], values, Object.hasOwn(labels, key) ? labels[key] : undefined);
}

/** The operators in the words of LabelSelectors. */
const MEANING: Readonly<Record<LabelRequirement['operator'], string>> = {
	in: 'In',
	'=': 'In',
	'==': 'In',
	notin: 'NotIn',
	'!=': 'NotIn',
	exists: 'Exists',
	'!': 'DoesNotExist',
	gt: 'Gt',
	lt: 'Lt',
};

/** A selector of an object (or with `plainMap` a map of labels) as text, requirements by key. */
export function formatLabelSelector(selector: unknown, plainMap = false): string {
	const { matchLabels = {}, matchExpressions = [] } = (plainMap ? { matchLabels: selector } : (selector ?? {})) as LabelSelector;
	const labels = Object.entries(matchLabels).map(([key, value]): LabelRequirement => ({ key, operator: '=', values: [value] }));
	const expressions = matchExpressions.map(({ key, operator, values }): LabelRequirement => {
		const name = operator === 'In' ? 'in' : operator === 'NotIn' ? 'notin' : operator === 'Exists' ? 'exists' : '!';
		return { key, operator: name, values: values ?? [] };
	});
	return formatRequirements([...labels, ...expressions]);
}

export function formatRequirements(requirements: readonly LabelRequirement[]): string {
	return requirements
		.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
		.map(format)
		.join(',');
}

function format({ key, operator, values }: LabelRequirement): string {
	switch (operator) {
		case 'exists':
			return key;
		case '!':
			return `!${key}`;
		case 'in':
		case 'notin':
			return `${key} ${operator} (${values.toSorted().join(',')})`;
		case 'gt':
			return `${key}>${values[0] ?? ''}`;
		case 'lt':
			return `${key}<${values[0] ?? ''}`;
		case '=':
		case '==':
		case '!=':
			return `${key}${operator}${values[0] ?? ''}`;
	}
}

function refused(why: string): StatusError {
	return badRequest(`unable to parse requirement: ${why}`);
}

/** Recursive descent, one method a rule. */
class Parser {
	readonly #tokens: readonly Token[];
	#at = 0;

	constructor(text: string) {
		this.#tokens = tokens(text);
	}

	/** The next token; words like "in" are operators only where one may stand. */
	#peek(operators = false): Token {
		const token = this.#tokens[this.#at] ?? { kind: 'end', text: '' };
		return !operators && (token.kind === 'in' || token.kind === 'notin') ? { kind: 'word', text: token.text } : token;
	}

	#take(operators = false): Token {
		const token = this.#peek(operators);
		this.#at++;
		return token;
	}

	requirements(): LabelRequirement[] {
		const found: LabelRequirement[] = [];
		for (;;) {
			const { kind, text } = this.#peek();
			if (kind === 'end') return found;
			if (kind !== 'word' && kind !== '!') throw badRequest(`found '${text}', expected: !, identifier, or 'end of string'`);
			found.push(this.#requirement());
			const after = this.#take();
			if (after.kind === 'end') return found;
			if (after.kind !== ',') throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`);
			const next = this.#peek();
			if (next.kind !== 'word' && next.kind !== '!') throw badRequest(`found '${next.text}', expected: identifier after ','`);
		}
	}

	#requirement(): LabelRequirement {
		let token = this.#take();
		const negated = token.kind === '!';
		if (negated) token = this.#take();
		if (token.kind !== 'word') throw refused(`found '${token.text}', expected: identifier`);
		const key = token.text;
		const keyProblems = qualifiedName(key);
		if (keyProblems.length > 0) throw refused(`<nil>: Invalid value: ${goQuote(key)}: ${keyProblems.join('; ')}`);
		if (negated) return { key, operator: '!', values: [] };
		const next = this.#peek().kind;
		if (next === 'end' || next === ',') return { key, operator: 'exists', values: [] };
		const operator = this.#operator();
		const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
		return checked({ key, operator, values });
	}

	#operator(): LabelRequirement['operator'] {
		const { kind, text } = this.#take(true);
		const operator = OPERATORS[kind];
		if (operator === undefined) throw refused(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
		return operator;
	}

	#exactValue(): string {
		const { kind } = this.#peek();
		if (kind === 'end' || kind === ',') return '';
		const token = this.#take();
		if (token.kind !== 'word') throw refused(`found '${token.text}', expected: identifier`);
		return token.text;
	}

	#values(): string[] {
		const open = this.#take();
		if (open.kind !== '(') throw refused(`found '${open.text}' expected: '('`);
		const first = this.#peek();
		if (first.kind === ')') {
			this.#take();
			return [''];
		}
		if (first.kind !== 'word' && first.kind !== ',') throw refused(`found '${first.text}', expected: ',', ')' or identifier`);
		const values = this.#list();
		const close = this.#take();
		if (close.kind !== ')') throw refused(`found '${close.text}', expected: ')'`);
		return values;
	}

	#list(): string[] {
		const values = new Set<string>();
		for (;;) {
			const { kind, text } = this.#take();
			const next = this.#peek();
			if (kind === 'word') {
				values.add(text);
				if (next.kind === ')') return [...values].toSorted();
				if (next.kind !== ',') throw refused(`found '${next.text}', expected: ',' or ')'`);
			} else if (kind === ',') {
				if (values.size === 0) values.add(''); // "(,"
				if (next.kind === ')') return [...values.add('')].toSorted();
				if (next.kind === ',') {
					this.#take();
					values.add('');
				}
			} else throw refused(`found '${text}', expected: ',', or identifier`);
		}
	}
}

const OPERATORS: Readonly<Partial<Record<TokenKind, LabelRequirement['operator']>>> = {
	in: 'in',
	notin: 'notin',
	'=': '=',
	'==': '==',
	'!=': '!=',
	'>': 'gt',
	'<': 'lt',
};

function checked(requirement: LabelRequirement): LabelRequirement {
	const { key, operator, values } = requirement;
	if ((operator === 'in' || operator === 'notin') && values.length === 0)
		throw refused("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
	const problems: string[] = [];
	values.forEach((value, i) => {
		const at = `values[${i}]`;
		if ((operator === 'gt' || operator === 'lt') && int64Error(value) !== undefined)
			problems.push(`${at}: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
		const wrong = labelValue(value);
		if (wrong.length > 0) problems.push(`${at}[${key}]: Invalid value: ${goQuote(value)}: ${wrong.join('; ')}`);
	});
	if (problems.length > 0) throw refused(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
	return requirement;
}
