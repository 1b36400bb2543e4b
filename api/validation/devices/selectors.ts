/** Expressions that choose devices (upstream validateCELSelector). */
import { compileFor } from '../../cel/admission/environment.ts';
import { DEVICE, deviceSizes, MAX_SELECTOR_COST } from '../../cel/device-type.ts';
import { ANY, BOOL } from '../../cel/types.ts';
import { fieldForbidden, internal, invalidValue, required, tooLong } from '../../field-error.ts';
import type { DeviceSelector } from '../../gen/types.ts';
import { items } from './lists.ts';
import type { Errors } from '../rule.ts';

const MAX_SELECTORS = 32;
const MAX_BYTES = 10 * 1024;

export function deviceSelectors(out: Errors, path: string, list: readonly DeviceSelector[]): void {
	items(out, path, list, MAX_SELECTORS, (at, { cel }) => {
		if (cel === undefined) out.push(required(`${at}.cel`));
		else selectorExpression(out, `${at}.cel.expression`, cel.expression ?? '');
	});
}

function selectorExpression(out: Errors, path: string, expression: string): void {
	if (Buffer.byteLength(expression) > MAX_BYTES) {
		out.push(tooLong(path, MAX_BYTES));
		return;
	}
	const compiled = compileFor(DEVICE, expression, [BOOL, ANY]);
	if ('program' in compiled) {
		if (compiled.program.estimate(deviceSizes).max > MAX_SELECTOR_COST) out.push(fieldForbidden(path, 'too complex, exceeds cost limit'));
		return;
	}
	const { error } = compiled;
	if (compiled.internal === true) out.push(internal(path, error));
	else
		out.push(
			invalidValue(path, expression, error.replace(/^must evaluate to .* but got /, 'must evaluate to bool or the unknown type, not ')),
		);
}
