/** The status of a policy: what its expressions were warned about, and its conditions. */
import { invalidValue, required } from '../../field-error.ts';
import type { ValidatingAdmissionPolicy } from '../../gen/types.ts';
import { goTrim } from '../../go-trim.ts';
import { jsonPathFault } from '../../json-path-fault.ts';
import { conditionList } from '../conditions.ts';
import { present, type Errors } from '../rule.ts';

export function validatingPolicyStatus(out: Errors, { status }: ValidatingAdmissionPolicy): void {
	for (const [i, { warning, fieldRef }] of (status?.typeChecking?.expressionWarnings ?? []).entries()) {
		const at = `status.typeChecking.expressionWarnings[${i}]`;
		present(out, `${at}.warning`, warning);
		const path = goTrim(fieldRef ?? '');
		const fault = path === '' ? undefined : jsonPathFault(`{${path}}`);
		if (path === '') out.push(required(`${at}.fieldRef`));
		else if (fault !== undefined) out.push(invalidValue(`${at}.fieldRef`, path, `invalid JSONPath: ${fault}`));
	}
	conditionList(out, 'status.conditions', status?.conditions);
}
