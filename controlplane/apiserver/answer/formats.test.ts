import test from 'ava';
import { encode, lineOf, lineOften } from './canonical.ts';
import { formatted } from './formats.ts';

const OBJECT = { kind: 'A', apiVersion: 'v1', metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } };

test('answers to programs end their line, those to people do not', (t) => {
	t.is(Buffer.from(formatted({ a: 1 }, 'application/json', false)).toString(), '{"a":1}\n');
	t.is(Buffer.from(formatted({ a: 1 }, 'application/json', true)).toString(), '{\n  "a": 1\n}');
	const value = encode(OBJECT, { labels: {}, fields: {} });
	const [dry, stored] = [
		{ value, revision: undefined },
		{ value, revision: 7n },
	];
	const text = (version: string): string =>
		`{"kind":"A","apiVersion":"v1","metadata":{"name":"a",${version}"creationTimestamp":"2026-01-01T00:00:00Z"}}\n`;
	for (const line of [lineOf, lineOften, lineOften]) {
		t.is(Buffer.from(line(stored)).toString(), text('"resourceVersion":"7",'));
		t.is(Buffer.from(line(dry)).toString(), text(''));
	}
});
