/** Selectors: parsed, refused in upstream's words, matched, written. */
import test from 'ava';
import { fieldTest, labelTest } from './compiled.ts';
import { formatFieldSelector, parseFieldSelector } from './field.ts';
import { matchesLabelSelector } from './label.ts';
import { formatLabelSelector, formatRequirements, parseLabelSelector } from './label-text.ts';

const parsed: readonly (readonly [text: string, canonical: string])[] = [
	['', ''],
	['a', 'a'],
	['!a', '!a'],
	['b=1,a==2,c!=3', 'a==2,b=1,c!=3'],
	[' x in ( b , a ) ', 'x in (a,b)'],
	['x notin (a),y>3,z<1', 'x notin (a),y>3,z<1'],
	['x in (,)', 'x in ()'],
	['in=in', 'in=in'],
	['a=', 'a='],
	['a\0', 'a'],
	['a \0,b', 'a'],
];
for (const [text, want] of parsed)
	test(`parseLabelSelector(): ${JSON.stringify(text)}`, (t) => t.is(formatRequirements(parseLabelSelector(text)), want));

const NAME =
	"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const refused: readonly (readonly [text: string, message: string])[] = [
	['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
	['a>b', `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`],
	[
		'a>12345678901234567890',
		`unable to parse requirement: values[0]: Invalid value: "12345678901234567890": for 'Gt', 'Lt' operators, the value must be an integer`,
	],
	['_=b', `unable to parse requirement: <nil>: Invalid value: "_": ${NAME}`],
	['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
	['a\u2028', `unable to parse requirement: <nil>: Invalid value: "a\\u2028": ${NAME}`],
	[
		`${'a'.repeat(254)}/x`,
		`unable to parse requirement: <nil>: Invalid value: "${'a'.repeat(254)}/x": prefix part must be no more than 253 bytes`,
	],
	['a,', "found '', expected: identifier after ','"],
	['=a', "found '=', expected: !, identifier, or 'end of string'"],
];
for (const [text, message] of refused)
	test(`parseLabelSelector() refuses ${JSON.stringify(text)}`, (t) => t.is(t.throws(() => parseLabelSelector(text)).message, message));

const matches: readonly (readonly [text: string, labels: Record<string, string>, matches: boolean])[] = [
	['a=1', { a: '1' }, true],
	['a!=1', {}, true],
	['a=,b=1', { a: '', b: '1' }, true],
	['a=', {}, false],
	['a=1,b=1', { a: '1', b: '2' }, false],
	['constructor=1', {}, false],
	['a in (1)', { a: '1' }, true],
	['a in (1,2)', { a: '2' }, true],
	['a notin (1)', { a: '1' }, false],
	['!a', { a: '' }, false],
	['a>9', { a: '10' }, true],
	['a<9', { a: 'x' }, false],
	['toString', {}, false],
];
for (const [text, labels, want] of matches)
	test(`labels ${JSON.stringify(labels)} and ${text}`, (t) => t.is(labelTest(parseLabelSelector(text))(labels), want));

test('LabelSelector: absent matches nothing, empty everything; as text', (t) => {
	t.false(matchesLabelSelector(undefined, { a: '1' }));
	t.true(matchesLabelSelector({}, {}));
	const selector = {
		matchLabels: { b: '1' },
		matchExpressions: [
			{ key: 'a', operator: 'In', values: ['y', 'x'] },
			{ key: 'c', operator: 'DoesNotExist' },
		],
	};
	t.true(matchesLabelSelector(selector, { a: 'x', b: '1' }));
	t.false(matchesLabelSelector(selector, { a: 'x', b: '1', c: '' }));
	t.is(formatLabelSelector(selector), 'a in (x,y),b=1,!c');
	t.is(formatLabelSelector({ b: '2', a: '1' }, true), 'a=1,b=2');
});

test('field selectors: escapes, operators, errors', (t) => {
	const terms = parseFieldSelector('metadata.name=a\\,b,,status.phase!=Running,=,spec.x==1');
	t.deepEqual(terms, [
		{ field: 'metadata.name', operator: '=', value: 'a,b' },
		{ field: 'spec.x', operator: '=', value: '1' },
		{ field: 'status.phase', operator: '!=', value: 'Running' },
	]);
	t.is(formatFieldSelector(terms), 'metadata.name=a\\,b,spec.x=1,status.phase!=Running');
	t.true(fieldTest(terms)({ 'metadata.name': 'a,b', 'spec.x': '1' }));
	t.false(fieldTest(terms)({ 'metadata.name': 'a,b', 'spec.x': '1', 'status.phase': 'Running' }));
	t.true(fieldTest(parseFieldSelector('spec.x='))({}));
	t.true(fieldTest([])({}));
	t.is(
		t.throws(() => parseFieldSelector('metadata.name>a')).message,
		"invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'",
	);
	t.is(t.throws(() => parseFieldSelector('b=\\😀,a=b=c')).message, 'invalid field selector: unescaped character in value: 61');
	t.is(t.throws(() => parseFieldSelector('b=\\😀')).message, 'invalid field selector: invalid escape sequence: \\😀');
	t.is(t.throws(() => parseFieldSelector('a=b=c')).message, 'invalid field selector: unescaped character in value: 61');
});
