import test from 'ava';
import { goEscaped, goJson } from './go-json.ts';
import { goQuote } from './go-quote.ts';
import { invalid, notFound } from './status.ts';

test('what browsers might take for more than text is escaped in JSON', (t) => {
	t.is(goJson({ '<a>': 'b&c\u2028\u2029' }), '{"\\u003ca\\u003e":"b\\u0026c\\u2028\\u2029"}');
	t.is(goEscaped('{"a":"b"}'), '{"a":"b"}');
});

test('names in errors are quoted as by Go, and causes have their fields in its order', (t) => {
	t.is(notFound({ group: '', plural: 'pods' }, '\0').message, String.raw`pods "\x00" not found`);
	const { causes = [] } = invalid({ group: '', kind: 'Pod' }, 'p', [{ field: 'f', message: 'm', reason: 'r' }]).status.details ?? {};
	t.is(JSON.stringify(causes), '[{"reason":"r","message":"m","field":"f"}]');
});

for (const [text, want] of [
	['', '""'],
	['a b~', '"a b~"'],
	['a"b\\c', String.raw`"a\"b\\c"`],
	['\0\n\x7f', String.raw`"\x00\n\x7f"`],
	['é\u00ad\u2028', String.raw`"é\u00ad\u2028"`],
	['a\u{1f600}\u{e0001}', '"a\u{1f600}\\U000e0001"'],
	['\ud800', '"\ufffd"'],
] as const)
	test(`quoted as by Go: ${JSON.stringify(text)}`, (t) => t.is(goQuote(text), want));

test('a long text is quoted as fast as it is read', (t) => {
	const text = `${'a'.repeat(1_000_000)}\n`.repeat(4);
	const before = process.cpuUsage();
	t.is(goQuote(text).length, text.length + 2 + 4);
	const { user, system } = process.cpuUsage(before);
	t.true(user + system < 200_000, `${user + system} µs`); // character by character it is 300 ms
});
