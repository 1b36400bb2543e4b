import test from 'ava';
import { jsonPathFault } from './json-path-fault.ts';

// As client-go 0.36 says it.
for (const [template, want] of [
	['{spec.validations[0].expression}', undefined],
	["{.a.b['c','d'][?(@.x==\"y)\")]..z[-1:]} and {.b}", undefined],
	['{.a', 'unclosed action'],
	['{!}', "unrecognized character in action: U+0021 '!'"],
	['{\t}', 'unrecognized character in action: U+0009'],
	['{.a[}', 'unterminated array'],
	['{.a[x]}', 'invalid array index x'],
	['{.a[-]}', 'array index - is not a number'],
	['{.a[9223372036854775808]}', 'array index 9223372036854775808 is not a number'],
	['{.a[0, x]}', 'invalid array index x'],
	['{.a[?(@.b}', 'unterminated filter'],
	['{.a[?(@.b)}', 'unclosed array expect ]'],
	['{.a[?(@.b==!)]}', "unrecognized character in action: U+0021 '!'"],
	['{.a[?(@.b==(x)]}', "unrecognized character in action: U+0028 '('"],
	['{....}', 'invalid multiple recursive descent'],
	['{1.2.3}', 'cannot parse number 1.2.3'],
	['{"a}', 'unterminated quoted string'],
	['{"\\q"}', 'unquote string "\\q" error invalid syntax'],
] as const)
	test(`the JSONPath template ${template}`, (t) => t.is(jsonPathFault(template), want));

test('long templates are read in the time of their length', (t) => {
	t.regex(jsonPathFault(`{1${'1'.repeat(200_000)}..}`) ?? '', /^cannot parse number 1+\.\.$/);
	t.regex(jsonPathFault(`{[a${' '.repeat(200_000)}b,c]}`) ?? '', /^invalid array index a +b$/);
});
