import test from 'ava';
import { CompileError } from './issues.ts';
import { parse } from './parser.ts';

function issuesOf(source: string): readonly string[] {
	try {
		parse(source);
		return [];
	} catch (error) {
		if (!(error instanceof CompileError)) throw error;
		return [...error.message.matchAll(/^ERROR: <input>:(-?\d+:\d+: .*)$/gm)].map(([, text]) => text as string);
	}
}

// What upstream's parser answered (cel-go 0.26).
const ROWS: readonly (readonly [string, ...string[]])[] = [
	['f(a', "1:4: Syntax error: missing ')' at '<EOF>'"],
	['f(a b', "1:5: Syntax error: mismatched input 'b' expecting ')'"],
	['f(a b)', "1:5: Syntax error: extraneous input 'b' expecting ')'"],
	['[a', "1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
	['[a b]', "1:4: Syntax error: extraneous input 'b' expecting {']', ','}"],
	['[a,', "1:4: Syntax error: missing ']' at '<EOF>'"],
	['{a', "1:3: Syntax error: mismatched input '<EOF>' expecting ':'"],
	[
		'{a:',
		"1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['{a:1', "1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
	['{a:1 b', "1:6: Syntax error: mismatched input 'b' expecting {'}', ','}"],
	['(a', "1:3: Syntax error: missing ')' at '<EOF>'"],
	['(a b', "1:4: Syntax error: mismatched input 'b' expecting ')'"],
	['(a b)', "1:4: Syntax error: extraneous input 'b' expecting ')'"],
	[
		'a[',
		"1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['a[0', "1:4: Syntax error: missing ']' at '<EOF>'"],
	['a[0 b', "1:5: Syntax error: mismatched input 'b' expecting ']'"],
	['a ? b', "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
	['a ? b c', "1:7: Syntax error: missing ':' at 'c'"],
	[
		'a ? b :',
		"1:8: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'a.b(',
		"1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['a b', "1:3: Syntax error: extraneous input 'b' expecting <EOF>"],
	['a b c', "1:3: Syntax error: mismatched input 'b' expecting <EOF>"],
	[
		')',
		"1:1: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['a)', "1:2: Syntax error: extraneous input ')' expecting <EOF>"],
	['a))', "1:2: Syntax error: mismatched input ')' expecting <EOF>"],
	[
		'a +',
		"1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'+ a',
		"1:1: Syntax error: extraneous input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'a + * b',
		"1:5: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'a && || b',
		"1:6: Syntax error: extraneous input '||' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['a..b', "1:3: Syntax error: no viable alternative at input '..'"],
	['a.', "1:3: Syntax error: no viable alternative at input '.'"],
	['Foo{', "1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
	['Foo{a', "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
	[
		'Foo{a:',
		"1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['Foo{a:1', "1:8: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
	['Foo{1', "1:5: Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
	[
		'!',
		"1:2: Syntax error: extraneous input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'-',
		"1:2: Syntax error: no viable alternative at input '-'",
		"1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'--',
		"1:3: Syntax error: no viable alternative at input '-'",
		"1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'!)',
		"1:2: Syntax error: extraneous input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['[1, 2', "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
	['has(1)', '1:5: invalid argument to has() macro'],
	['d.map(x.y, x)', '1:8: argument is not an identifier'],
	['d.all(1, true)', '1:7: argument must be a simple name'],
	['d.exists_one(x.y, true)', '1:15: argument must be a simple name'],
	['d.all(x, x, true)', '1:10: duplicate variable name: x'],
	['optional.of(1).optMap(1, 2)', '1:23: optMap() variable name must be a simple identifier'],
	['as', '1:1: reserved identifier: as'],
	['d.`a`', "1:3: unsupported syntax: '`'"],
	['9223372036854775808', '1:1: invalid int literal'],
	['18446744073709551616u', '1:1: invalid uint literal'],
	[
		'"\\q"',
		"1:1: Syntax error: token recognition error at: '\"\\q'",
		"1:4: Syntax error: token recognition error at: '\"'",
		"1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['"\\ud800"', '1:1: invalid unicode code point'],
	['b"\\u00e9"', '1:1: unable to unescape string'],
	[
		'"a',
		"1:1: Syntax error: token recognition error at: '\"a'",
		"1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['"""a', "1:3: Syntax error: token recognition error at: '\"a'"],
	[
		'`a',
		"1:1: Syntax error: token recognition error at: '`a'",
		"1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['rb"x"', '1:3: Syntax error: extraneous input \'"x"\' expecting <EOF>'],
	['a = b', "1:3: Syntax error: token recognition error at: '= '", "1:5: Syntax error: extraneous input 'b' expecting <EOF>"],
	['a & b', "1:3: Syntax error: token recognition error at: '& '", "1:5: Syntax error: extraneous input 'b' expecting <EOF>"],
	['a #', "1:3: Syntax error: token recognition error at: '#'"],
	['d.true', "1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
	['-a !b', "1:4: Syntax error: mismatched input '!' expecting <EOF>"],
	['!-d', "1:3: Syntax error: no viable alternative at input '-d'"],
	['d.?1', "1:4: Syntax error: mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}", '1:4: unsupported ident kind'],
	[
		'f(,)',
		"1:3: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	[
		'f(1,)',
		"1:5: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['{,}.size() == [,].size()'],
	['b"x', "1:2: Syntax error: token recognition error at: '\"x'"],
	['a.(b)', "1:3: Syntax error: no viable alternative at input '.('"],
];
for (const [source, ...want] of ROWS) test(`parse(): ${source.replaceAll('\n', ' ')}`, (t) => t.deepEqual(issuesOf(source), want));

const DEEP = '-1:0: expression recursion limit exceeded: 250';
const HIGH = '-1:0: max recursion depth exceeded';
const UNEXPECTED = "1:3: Syntax error: mismatched input 'a' expecting <EOF>";
// What upstream's parser answered (cel-go 0.26).
const LIMITS: readonly (readonly [string, string, ...string[]])[] = [
	['parentheses', `${'('.repeat(249)}1${')'.repeat(249)}`],
	['parentheses, one more', `${'('.repeat(250)}1${')'.repeat(250)}`, DEEP],
	['sums inside sums', `${'1+('.repeat(124)}1${')'.repeat(124)}`],
	['sums inside sums, one more', `${'1+('.repeat(125)}1${')'.repeat(125)}`, DEEP],
	['selections', `a${'.b'.repeat(250)}`],
	['selections, one more', `a${'.b'.repeat(251)}`, HIGH],
	['a chain of sums', '1+'.repeat(40_000).concat('1'), HIGH],
	['conditions', '1?2:'.repeat(300).concat('1'), DEEP],
	['tokens that a recovery passes over', 'a '.repeat(300), '-1:0: error recovery token lookahead limit exceeded: 256', UNEXPECTED],
	['brackets that a recovery passes over', `a a ${'('.repeat(200)}`, UNEXPECTED],
	['size', 'x'.repeat(100_001), '-1:0: expression code point size exceeds limit: size: 100001, limit 100000'],
];
for (const [name, source, ...want] of LIMITS) test(`limits: ${name}`, (t) => t.deepEqual(issuesOf(source), want));

test('limits: recoveries', (t) => {
	const found = issuesOf('f(a b)+'.repeat(60).concat('1'));
	t.deepEqual([found.length, found.at(-1)], [31, '1:215: Syntax error: error recovery attempt limit exceeded: 30']);
});

test('limits: issues that are told', (t) => {
	const error = t.throws(() => parse('a#'.repeat(200)), { instanceOf: CompileError });
	const lines = error.message.split('\n');
	t.deepEqual([lines.filter((line) => line.startsWith('ERROR')).length, lines.at(-1)], [100, '1 more errors were truncated']);
});

test('limits: no input takes long', (t) => {
	for (const unit of ['*[', '\\\t]', '/{', '(in!===', '&&} \u{1F600}']) {
		const before = process.cpuUsage();
		issuesOf(unit.repeat(2000));
		t.true(process.cpuUsage(before).user < 1_000_000, unit);
	}
});
