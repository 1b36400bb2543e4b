/** Rules for the texts of x-kubernetes-validations, before anything is compiled. */
import { invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import { fieldAt } from './field-path.ts';
import type { Schema } from './schema.ts';
import { isConvertible } from './structural-form.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasBreak = (text: string): boolean => /[\r\n]/.test(text);

export function ruleTextErrors(schema: Schema, path: string): FieldError[] {
	const out: FieldError[] = [];
	(schema['x-kubernetes-validations'] ?? []).forEach((rule, i) => {
		const at = `${path}.x-kubernetes-validations[${i}]`;
		const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
		const text = rule.rule.trim();
		const said = message.trim();
		if (text === '') out.push(required(`${at}.rule`, 'rule is not specified'));
		else if (message !== '' && said === '') out.push(invalidValue(`${at}.message`, message, 'must be non-empty if specified'));
		else if (hasBreak(said)) out.push(invalidValue(`${at}.message`, message, 'must not contain line breaks'));
		else if (hasBreak(text) && said === '') out.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'));
		if (messageExpression !== '' && messageExpression.trim() === '')
			out.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
		if (reason !== undefined && !REASONS.includes(reason)) out.push(notSupported(`${at}.reason`, reason, REASONS));
		if (fieldPath !== '' && fieldPath.trim() === '') out.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must be non-empty if specified'));
		if (hasBreak(fieldPath)) out.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must not contain line breaks'));
		if (fieldPath !== '' && isConvertible(schema)) {
			const found = fieldAt(fieldPath, schema, true);
			if ('error' in found) out.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must be a valid path'));
		}
	});
	return out;
}
