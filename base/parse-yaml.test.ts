import test from 'ava';
import { parseYaml, readYaml } from './parse-yaml.ts';

for (const [name, text, options, want] of [
	['a map that is not closed', 'users:\n- user: {token: SECRET\nx: 1\n', {}, /^Flow map in block collection .* at line 3, column 1$/],
	['a key twice', 'token: SECRET\ntoken: SECRET\n', {}, /^Map keys must be unique at line 2, column 1$/],
	['an alias of nothing', 'token: SECRET\na: *b\n', {}, /^Unresolved alias \(the anchor must be set before the alias\): b/],
	['of YAML 1.1', 'a: [SECRET', { version: '1.1' }, /^Flow sequence in block collection .* at line 1, column 11$/],
] as const)
	test(`what is wrong is told with its place, and not what stands there: ${name}`, (t) => {
		const { message } = t.throws(() => readYaml(text, options));
		t.regex(message, want);
		t.false(message.includes('SECRET'));
	});

test('fields that are null are not there, or are as they stand there', (t) => {
	t.deepEqual(parseYaml('a: null\nb: [null]\n'), { b: [null] });
	t.deepEqual(readYaml('a: null\nb: [null]\n'), { a: null, b: [null] });
	t.is(parseYaml(''), null);
});
