/** Taints of nodes (core validateNodeTaints). */
import { duplicate, invalidValue, required } from '../field-error.ts';
import type { Taint } from '../gen/types.ts';
import { labelValue, qualifiedName } from './names.ts';
import { TAINT_EFFECTS } from './pod/scheduling.ts';
import { oneOf, texts, type Errors } from './rule.ts';

/** @param path of the list */
export function taintList(out: Errors, path: string, taints: readonly Taint[]): void {
	const seen = new Set<string>();
	for (const [i, { key = '', value = '', effect, timeAdded }] of taints.entries()) {
		const at = `${path}[${i}]`;
		texts(out, `${at}.key`, key, qualifiedName(key));
		const complaints = labelValue(value);
		if (complaints.length > 0) out.push(invalidValue(`${at}.value`, value, complaints.join(';')));
		if ((effect as string) === '') out.push(required(`${at}.effect`));
		else oneOf(out, `${at}.effect`, effect, TAINT_EFFECTS);
		const same = `${key}:${effect}`;
		if (seen.has(same)) {
			const taint = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
			const { message, ...error } = duplicate(at, taint);
			out.push({ ...error, message: `${message}: taints must be unique by key and effect pair` });
		}
		seen.add(same);
	}
}
