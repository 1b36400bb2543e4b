/** Expected texts are those of Go's yaml.v2. */
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { parseYaml } from './yaml.ts';
import { writeYaml } from './yaml-write.ts';

const LONG = `${'a'.repeat(64)} ${'b'.repeat(62)}`;
for (const [what, value, want] of [
	['a key of 128 bytes stays on its line', { [`${LONG}c`]: 'x' }, `${LONG}c: x\n`],
	['one that is quoted, too', { [`"${LONG}`]: 1 }, `'"${LONG}': 1\n`],
	['and one that is escaped', { [`\t${LONG}`]: 1 }, `"\\t${LONG}": 1\n`],
	['a longer one has a mark', { [`${LONG}cd`]: 'x' }, `? ${'a'.repeat(64)} ${'b'.repeat(62)}cd\n: x\n`],
	['which is counted in bytes', { ['é'.repeat(65)]: 1 }, `? ${'é'.repeat(65)}\n: 1\n`],
	['a longer one is folded', { [`${LONG} ${LONG}`]: 1 }, `? ${LONG}\n  ${LONG}\n: 1\n`],
	['a key of lines has a mark', { 'a\nb': 'x' }, '? |-\n  a\n  b\n: x\n'],
	['a list behind a mark is as deep as any value', { l: { '\n': [1, [2]] } }, 'l:\n  ? |2+\n\n  : - 1\n    - - 2\n'],
	['an object behind a mark', [{ 'a\r': { b: 1, c: {} } }], '- ? "a\\r"\n  : b: 1\n    c: {}\n'],
	['lines that end in spaces are escaped', { k: 'a \nb' }, 'k: "a \\nb"\n'],
	['and texts that do', { k: 'a\nb ' }, 'k: "a\\nb "\n'],
	['a text that is a number of any prefix', ['0X1f', '0_B1', '-0b11', '+_1'], '- "0X1f"\n- "0_B1"\n- "-0b11"\n- "+_1"\n'],
	['what only looks like a number', ['0x_', '_1', '0xg', '0b2', '1e'], '- 0x_\n- _1\n- 0xg\n- 0b2\n- 1e\n'],
	['fractions and large numbers', [1e-7, 1_234_567.5, 1e21, 0.0001], '- 1e-07\n- 1.2345675e+06\n- 1e+21\n- 0.0001\n'],
	['integers of 64 bits', [1_234_567, 18_446_744_073_709_551_615n], '- 1234567\n- 18446744073709551615\n'],
	['larger ones', [18_446_744_073_709_551_616n, -9_223_372_036_854_775_809n], '- 1.8446744073709552e+19\n- -9.223372036854776e+18\n'],
] as readonly (readonly [string, object, string])[])
	test(`writeYaml(): ${what}`, (t) => t.is(writeYaml(value), want));

const PIECES = [
	'a',
	'B1',
	' ',
	'  ',
	'\n',
	'\t',
	'\r',
	'"',
	"'",
	'\\',
	': ',
	' #',
	'- ',
	'? ',
	'-',
	'{',
	']',
	'0',
	'_',
	'0x',
	'e+',
	'\0',
	'\u0085',
	'\u2028',
	'\ufeff',
	'é',
	'😀',
	'word '.repeat(20),
];

const anyText = fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) => pieces.join(''));

test('writeYaml(): any text is read back as it was, as a key and as a value', (t) => {
	const isReadBack = fc.property(anyText, anyText, (key, text) => {
		const value = { [key]: [text, { [key]: text, l: [[text]] }], k: { [key]: {} } };
		return isDeepStrictEqual(parseYaml(writeYaml(value)).value, value);
	});
	t.notThrows(() => fc.assert(isReadBack, { seed: 1, numRuns: 1000 }));
});
