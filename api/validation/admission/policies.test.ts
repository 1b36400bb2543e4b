import test from 'ava';
import type { FieldError } from '../../field-error.ts';
import type { MutatingAdmissionPolicy, ValidatingAdmissionPolicy } from '../../gen/types.ts';
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from './policies.ts';

const matchConstraints = {
	...{ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
	resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};
const common = { failurePolicy: 'Fail', matchConstraints } as const;
const line = ({ field, message }: FieldError): string => `${field}: ${message.split('\n')[0]}`;

function ofValidating(spec: object): readonly string[] {
	const out: FieldError[] = [];
	validatingAdmissionPolicy(out, { metadata: { name: 'p' }, spec: { ...common, ...spec } } as ValidatingAdmissionPolicy);
	return out.map(line);
}

function ofMutating(spec: object): readonly string[] {
	const out: FieldError[] = [];
	const whole = { ...common, reinvocationPolicy: 'Never', ...spec };
	mutatingAdmissionPolicy(out, { metadata: { name: 'p' }, spec: whole } as MutatingAdmissionPolicy);
	return out.map(line);
}

const check = (expression: string, more: object = {}): object => ({ validations: [{ expression, ...more }] });
const note = (valueExpression: string): object => ({ auditAnnotations: [{ key: 'a', valueExpression }] });
const apply = (expression: string): object => ({
	mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
});
const patch = (expression: string): object => ({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }] });
const EXPRESSION = 'spec.validations[0].expression';
const NOT_BOOL = 'must evaluate to bool but got';

for (const [what, spec, want] of [
	[
		'there are no variables where none is declared',
		check('variables.a == 1'),
		`${EXPRESSION}: Invalid value: "variables.a == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')`,
	],
	[
		'no program can be made of it',
		check('int("a") == 1'),
		`${EXPRESSION}: Internal error: program instantiation failed: type conversion error from 'string' to 'int'`,
	],
	[
		'an instant',
		check('timestamp("2020-01-01T00:00:00Z")'),
		`${EXPRESSION}: Invalid value: "timestamp(\\"2020-01-01T00:00:00Z\\")": ${NOT_BOOL} google.protobuf.Timestamp`,
	],
	['a list of nothing', check('[null]'), `${EXPRESSION}: Invalid value: "[null]": ${NOT_BOOL} list(null_type)`],
	[
		'a message of two lines',
		check('true', { message: 'a\rb' }),
		'spec.validations[0].message: Invalid value: "a\\rb": must not contain line breaks',
	],
	[
		'an audit annotation that is too long',
		note(`"${'x'.repeat(5 * 1024)}"`),
		'spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length',
	],
] as const)
	test(`validating policy: ${what}`, (t) => t.deepEqual(ofValidating(spec), [want]));

const AT_START = `compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')`;
const AFTER_SPACE = AT_START.replace('1:1', '2:2');
for (const [what, found, ...want] of [
	[
		'a condition',
		ofValidating({ ...check('true'), matchConditions: [{ name: 'c', expression: '\n a' }] }),
		`spec.matchConditions[0].expression: Invalid value: "a": ${AT_START}`,
	],
	['an audit annotation', ofValidating(note('\n a')), `spec.auditAnnotations[0].valueExpression: Invalid value: "\\n a": ${AT_START}`],
	[
		'an apply configuration',
		ofMutating(apply('\n a\u00a0')),
		`spec.mutations[0].applyConfiguration.expression: Invalid value: "a": ${AT_START}`,
	],
	['a patch', ofMutating(patch('\u0085 a')), `spec.mutations[0].jsonPatch.expression: Invalid value: "a": ${AT_START}`],
	['but no validation', ofValidating(check('\n a')), `${EXPRESSION}: Invalid value: "\\n a": ${AFTER_SPACE}`],
	[
		'and no variable',
		ofValidating({ ...check('true'), variables: [{ name: ' \t', expression: '\n a' }] }),
		'spec.variables[0].name: Required value: name is not specified',
		`spec.variables[0].expression: Invalid value: "\\n a": ${AFTER_SPACE}`,
	],
] as const)
	test(`policies: white space around an expression is left out of ${what}`, (t) => t.deepEqual(found, want));

test('validating policy: too many audit annotations are shown as Go has them', (t) => {
	const auditAnnotations = Array.from({ length: 21 }, (_, i) => ({ key: `a${i}`, valueExpression: '"x"' }));
	const [first = ''] = ofValidating({ auditAnnotations });
	t.regex(first, /^spec\.auditAnnotations: Invalid value: \[\{"Key":"a0","ValueExpression":"\\"x\\""\},/);
});

for (const [what, spec, want] of [
	[
		'null is no object',
		apply('null'),
		['spec.mutations[0].applyConfiguration.expression: Invalid value: "null": must evaluate to Object but got null_type'],
	],
	[
		'a patch has no other fields',
		patch('[JSONPatch{foo: 1}]'),
		[
			`spec.mutations[0].jsonPatch.expression: Invalid value: "[JSONPatch{foo: 1}]": compilation failed: ERROR: <input>:1:15: expected type of field 'foo' is '' but provided type is 'int'`,
		],
	],
	[
		'variables make no objects',
		{ variables: [{ name: 'a', expression: 'Object{}' }], ...apply('Object{}') },
		[
			`spec.variables[0].expression: Invalid value: "Object{}": compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')`,
		],
	],
	['mutations do', apply('Object{}'), []],
	[
		'a variable without an expression is none',
		{ variables: [{ name: 'a', expression: ' ' }], ...patch('variables.a') },
		[
			'spec.variables[0].expression: Required value: expression is not specified',
			`spec.mutations[0].jsonPatch.expression: Invalid value: "variables.a": compilation failed: ERROR: <input>:1:10: undefined field 'a'`,
		],
	],
] as const)
	test(`mutating policy: ${what}`, (t) => t.deepEqual(ofMutating(spec), want));
