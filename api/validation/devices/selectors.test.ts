import test from 'ava';
import type { FieldError } from '../../field-error.ts';
import { deviceSelectors } from './selectors.ts';

const D = 'device.attributes["d.example.com"]';
const TEN = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
const costly = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].reduceRight((inner, v) => `${TEN}.all(${v}, ${inner})`, "int('1'.find('[0-9]*')) < 100");
const padded = (letter: string, bytes: number): string => {
	const rest = 'device.driver == ""'.length;
	return `device.driver == "${letter.repeat((bytes - rest) / Buffer.byteLength(letter))}"`;
};

function complaints(expression: string): readonly (readonly [string | undefined, string])[] {
	const out: FieldError[] = [];
	deviceSelectors(out, 's', [{ cel: { expression } }]);
	return out.map(({ reason, field, message }) => [reason, `${field}: ${message.split('\n', 1)[0]}`]);
}

for (const [name, expression, ...want] of [
	['an attribute may be the answer', `${D}.isFast`],
	['a name for a value', `cel.bind(d, ${D}, d.isFast && d.isNew)`],
	['as long as may be', padded('x', 10_240)],
	['too long', padded('x', 10_241), 'FieldValueTooLong', 's[0].cel.expression: Too long: may not be more than 10240 bytes'],
	['too long in bytes', padded('é', 10_241), 'FieldValueTooLong', 's[0].cel.expression: Too long: may not be more than 10240 bytes'],
	['too costly', costly, 'FieldValueForbidden', 's[0].cel.expression: Forbidden: too complex, exceeds cost limit'],
	[
		'dyn is not any',
		'dyn(true)',
		'FieldValueInvalid',
		's[0].cel.expression: Invalid value: "dyn(true)": must evaluate to bool or the unknown type, not dyn',
	],
	[
		'no program',
		'int("a") == 1',
		'InternalError',
		"s[0].cel.expression: Internal error: program instantiation failed: type conversion error from 'string' to 'int'",
	],
] as const)
	test(`deviceSelectors(): ${name}`, (t) =>
		t.deepEqual(complaints(expression), want.length === 0 ? [] : [want as readonly [string, string]]));
