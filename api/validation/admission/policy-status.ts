/** The status of a policy: what its expressions were warned about, and its conditions. */
import { required } from '../../field-error.ts';
import type { ValidatingAdmissionPolicy } from '../../gen/types.ts';
import { conditionList } from '../conditions.ts';
import { present, type Errors } from '../rule.ts';

export function validatingPolicyStatus(out: Errors, { status }: ValidatingAdmissionPolicy): void {
	for (const [i, { warning, fieldRef }] of (status?.typeChecking?.expressionWarnings ?? []).entries()) {
		const at = `status.typeChecking.expressionWarnings[${i}]`;
		present(out, `${at}.warning`, warning);
		if ((fieldRef ?? '').trim() === '') out.push(required(`${at}.fieldRef`));
	}
	conditionList(out, 'status.conditions', status?.conditions);
}
