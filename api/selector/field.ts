/** Field selectors: comma-separated terms `field=value`, `field==value`, `field!=value`, with backslash escapes (apimachinery fields). */
import { badRequest } from '../status.ts';

export interface FieldRequirement {
	readonly field: string;
	readonly operator: '=' | '!=';
	readonly value: string;
}

/** The terms, sorted, without those that ask for nothing; StatusError BadRequest in upstream's words. */
export function parseFieldSelector(text: string): FieldRequirement[] {
	return terms(text)
		.toSorted()
		.map((term): FieldRequirement => {
			const match = /^(.*?)(!=|==?)(.*)$/s.exec(term);
			if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
			const [, field = '', operator = '', value = ''] = match;
			return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped(value) };
		})
		.filter(({ field, value }) => field !== '' || value !== '');
}

/** An unknown field is empty. */
export function meetsTerm({ field, operator, value }: FieldRequirement, fields: Readonly<Record<string, string>>): boolean {
	return ((Object.hasOwn(fields, field) ? fields[field] : '') === value) === (operator !== '!=');
}

export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
	return requirements.map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, '\\$&')}`).join(',');
}

/** Split at commas that no backslash escapes. */
function terms(text: string): string[] {
	return text.match(/(?:\\.|[^\\,]|\\$)+/gs) ?? [];
}

function unescaped(value: string): string {
	return value.replaceAll(/\\(.?)|[,=]/gsu, (match, escaped: string | undefined) => {
		if (escaped === undefined) throw badRequest(`invalid field selector: unescaped character in value: ${match.charCodeAt(0)}`);
		if (!['\\', ',', '='].includes(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${match}`);
		return escaped;
	});
}
