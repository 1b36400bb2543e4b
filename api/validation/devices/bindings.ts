/** Conditions that have to come true, or must not, before a pod is bound to the node of its device. */
import { invalidValue } from '../../field-error.ts';
import { asSent } from '../../sent-empty.ts';
import { items } from './lists.ts';
import { qualifiedName } from '../names.ts';
import { texts, Unique, type Errors } from '../rule.ts';

const MAX_CONDITIONS = 4;

interface Bound {
	readonly bindingConditions?: readonly string[] | undefined;
	readonly bindingFailureConditions?: readonly string[] | undefined;
}

/** Both kinds or none. */
export function bindingConditions(out: Errors, at: string, device: Bound): void {
	const { bindingConditions: good = [], bindingFailureConditions: bad = [] } = device;
	const lists = { bindingConditions: good, bindingFailureConditions: bad };
	for (const [key, list] of Object.entries(lists))
		items(out, `${at}.${key}`, list, MAX_CONDITIONS, (path, name) => texts(out, path, name, qualifiedName(name)));
	const seen = { bindingConditions: new Unique(), bindingFailureConditions: new Unique() };
	for (const [i, name] of good.entries()) seen.bindingConditions.check(out, `${at}.bindingConditions[${i}]`, name);
	for (const [i, name] of bad.entries()) {
		const path = `${at}.bindingFailureConditions[${i}]`;
		seen.bindingFailureConditions.check(out, path, name);
		if (good.includes(name)) out.push(invalidValue(path, name, 'bindingFailureConditions must not overlap with bindingConditions'));
	}
	if (good.length === 0 && bad.length > 0)
		out.push(
			invalidValue(
				`${at}.bindingConditions`,
				asSent(device, 'bindingConditions'),
				'bindingConditions are required to use bindingFailureConditions',
			),
		);
	if (bad.length === 0 && good.length > 0)
		out.push(
			invalidValue(
				`${at}.bindingFailureConditions`,
				asSent(device, 'bindingFailureConditions'),
				'bindingFailureConditions are required to use bindingConditions',
			),
		);
}
