import test from 'ava';
import type { FieldError } from '../../field-error.ts';
import type { ValidatingAdmissionPolicy } from '../../gen/types.ts';
import { validatingPolicyStatus } from './policy-status.ts';

const AT = 'status.typeChecking.expressionWarnings[0].fieldRef';
for (const [fieldRef, want] of [
	['spec.validations[0].expression', []],
	[' ', [`${AT}: Required value`]],
	[' spec[ ', [`${AT}: Invalid value: "spec[": invalid JSONPath: unterminated array`]],
] as const)
	test(`a warning of the expression at ${JSON.stringify(fieldRef)}`, (t) => {
		const out: FieldError[] = [];
		const status = { typeChecking: { expressionWarnings: [{ warning: 'w', fieldRef }] } };
		validatingPolicyStatus(out, { metadata: {}, status } as unknown as ValidatingAdmissionPolicy);
		t.deepEqual(
			out.map(({ field, message }) => `${field}: ${message}`),
			[...want],
		);
	});
