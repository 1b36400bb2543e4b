import test from 'ava';
import { formatYaml } from './yaml.ts';

for (const [rule, ...keys] of [
	['a number goes by its value', 'k:{"port":80}', 'k:{"port":443}', 'k:{"port":8080}'],
	['a number follows what is none', 'k:{"ip":"::1"}', 'k:{"ip":"1.2.3.4"}', 'k:{"ip":"10.0.0.1"}'],
	['letters follow everything else', 'a_b', 'a~', 'aA', 'aa'],
	['digits come before letters, and after other signs', 'a~', 'a1', 'a10', 'ab'],
	['a prefix comes first', 'a', 'a.b', 'a.b/c'],
	['zeros before a number count by their length', 'a0', 'a1', 'a01', 'a10'],
	['a zero inside a number is a digit of it', 'a9', 'a10', 'a11', 'a100'],
	['letters of any script are letters', '_', 'ä', 'é', '中', '𝒳'],
	['a pair of code units is one character', '😀', '😁', 'a'],
] as const)
	test(`keys in YAML: ${rule}`, (t) => {
		const object = Object.fromEntries(keys.toReversed().map((key) => [key, 1]));
		const written = formatYaml(object)
			.trimEnd()
			.split('\n')
			.map((line) => line.replace(/: 1$/, '').replace(/^(['"])(.*)\1$/, '$2'))
			.map((key) => key.replace(/\\U([0-9A-F]{8})/, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))));
		t.deepEqual(written, [...keys]);
	});
