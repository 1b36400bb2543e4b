import test from 'ava';
import { goEscaped, goJson } from './go-json.ts';
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
