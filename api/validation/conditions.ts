/** The conditions that newer kinds share (upstream apimachinery ValidateConditions). */
import { invalidValue, notSupported, required, tooLong } from '../field-error.ts';
import type { Condition } from '../gen/types.ts';
import { qualifiedName } from './names.ts';
import { texts, Unique, type Errors } from './rule.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_RE = new RegExp(`^${REASON}$`);
const REASON_TEXT = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${REASON}')`;
const MAX_REASON = 1024;
const MAX_MESSAGE = 32_768;

export function conditionList(out: Errors, path: string, list: readonly Partial<Condition>[] | undefined): void {
	const types = new Unique();
	for (const [i, { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' }] of (
		list ?? []
	).entries()) {
		const at = `${path}[${i}]`;
		types.check(out, `${at}.type`, type);
		texts(out, `${at}.type`, type, qualifiedName(type));
		if (!STATUSES.includes(status)) out.push(notSupported(`${at}.status`, status, STATUSES));
		if (observedGeneration < 0)
			out.push(invalidValue(`${at}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'));
		if ((lastTransitionTime ?? null) === null) out.push(required(`${at}.lastTransitionTime`));
		if (reason === '') out.push(required(`${at}.reason`));
		else if (!REASON_RE.test(reason)) out.push(invalidValue(`${at}.reason`, reason, REASON_TEXT));
		if (Buffer.byteLength(reason) > MAX_REASON) out.push(tooLong(`${at}.reason`, MAX_REASON));
		if (Buffer.byteLength(message) > MAX_MESSAGE) out.push(tooLong(`${at}.message`, MAX_MESSAGE));
	}
}
