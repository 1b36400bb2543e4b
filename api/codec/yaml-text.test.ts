import test from 'ava';
import { parseYaml } from './yaml.ts';
import { yamlText } from './yaml-text.ts';

for (const [hex, want] of [
	['ff', 'invalid leading UTF-8 octet'],
	['80', 'invalid leading UTF-8 octet'],
	['f888808080', 'invalid leading UTF-8 octet'],
	['e4b822', 'invalid trailing UTF-8 octet'],
	['c0af', 'invalid length of a UTF-8 sequence'],
	['eda080', 'invalid Unicode character'],
	['f4908080', 'invalid Unicode character'],
	['f09f98', 'incomplete UTF-8 octet sequence'],
] as const)
	test(`yamlText(): ${hex}`, (t) => {
		t.is(t.throws(() => yamlText(Buffer.concat([Buffer.from('a: é\nb: '), Buffer.from(hex, 'hex')]))).message, `yaml: ${want}`);
	});

test('yamlText(): what is UTF-8', (t) => t.is(yamlText(Buffer.from('a: é😀�')), 'a: é😀�'));

const UNKNOWN = 'found unknown escape character';
const INVALID = 'found invalid Unicode character escape code';
for (const [text, want] of [
	['a: "b\\/c"', `yaml: ${UNKNOWN}`],
	['x: 1\na: "b\\\\\\/c"', `yaml: line 2: ${UNKNOWN}`],
	['"a\\/b": c', `yaml: ${UNKNOWN}`],
	['a: "\\ud83d\\ude00"', `yaml: ${INVALID}`],
	['a: "\\U0000D800"', `yaml: ${INVALID}`],
	['a: "\\\\ud800 \\\\/ \\U0001F600"', undefined],
	["a: '\\/ \\ud800'", undefined],
	['a: \\/ \\ud800', undefined],
] as const)
	test(`parseYaml(): ${text.replaceAll('\n', '; ')}`, (t) => {
		if (want === undefined) t.notThrows(() => parseYaml(text));
		else t.is(t.throws(() => parseYaml(text)).message, want);
	});
