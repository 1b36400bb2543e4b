import test from 'ava';
import { EvalError } from './errors.ts';
import { compile, environment, evaluated } from './environment.ts';
import { CompileError } from './issues.ts';
import { fromJson } from './json.ts';
import { DYN } from './types.ts';

// What upstream's library answered (cel-go 0.26 with the environment of Kubernetes 1.36).
const env = environment({ variables: { d: DYN } });
const d = fromJson({ n: 5, s: 'str', l: [1, 'two', null], m: { k: 'v' } });

/** "line:column: text" of each. */
function issuesOf(source: string): readonly string[] {
	try {
		compile(env, source);
		return [];
	} catch (error) {
		if (!(error instanceof CompileError)) throw error;
		return [...error.message.matchAll(/^ERROR: <input>:(\d+:\d+: .*)$/gm)].map(([, text]) => text as string);
	}
}

const REFUSED: readonly (readonly [string, ...string[]])[] = [
	['kubernetes.NamedFormat', "1:1: undeclared reference to 'kubernetes' (in container '')"],
	['[1, d.n, "a"]', "1:6: expected type 'int' but found 'dyn'"],
	['{"a": 1, 2: "b"}', "1:10: expected type 'string' but found 'int'", "1:13: expected type 'int' but found 'string'"],
	['["%s".format([1, "a"])]', '1:13: too many arguments supplied to string.format (expected 1, got 2)'],
	['"%d".format(["a"])', '1:14: error during formatting: decimal clause can only be used on integers, was given string'],
	['"%s %s".format([d])', '1:15: index 1 out of range'],
	['"%d".format([1, 2])', '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
	['"%".format([1])', '1:11: unexpected end of string'],
	['"%z".format([1])', '1:12: could not parse formatting clause: unrecognized formatting clause "z"'],
	[
		'"%.f".format([1.0])',
		'1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
	],
	[
		'"%s".format([[ip("::1")]])',
		'1:17: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
	],
	['"%f".format([1])', '1:14: error during formatting: fixed-point clause can only be used on doubles, was given int'],
	['"%b".format(["a"])', '1:14: error during formatting: only integers and bools can be formatted as binary, was given string'],
	[
		'"%x".format([1.5])',
		'1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double',
	],
	['"%o".format([true])', '1:14: error during formatting: octal clause can only be used on integers, was given bool'],
	['"%e".format([1])', '1:14: error during formatting: scientific clause can only be used on doubles, was given int'],
	[
		'd.n.existsOne(x, x == 1)',
		"1:14: undeclared reference to 'existsOne' (in container '')",
		"1:15: undeclared reference to 'x' (in container '')",
		"1:18: undeclared reference to 'x' (in container '')",
	],
	['timestamp(99999999999999)', '1:11: invalid timestamp argument'],
	['duration("1x")', '1:10: invalid duration argument'],
	['matches("[", "a")', '1:9: invalid matches argument'],
	['1 && "a" && true', "1:1: expected type 'bool' but found 'int'", "1:6: expected type 'bool' but found 'string'"],
	['quantity("1").sign()', "1:19: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"],
	['"a".foo(b)', "1:8: undeclared reference to 'foo' (in container '')", "1:9: undeclared reference to 'b' (in container '')"],
	['foo(b)', "1:4: undeclared reference to 'foo' (in container '')", "1:5: undeclared reference to 'b' (in container '')"],
	['int{a: 1}', "1:4: 'int' is not a message type", "1:6: undefined field 'a'"],
	['Foo{a: b}', "1:4: undeclared reference to 'Foo' (in container '')"],
	['"a".b.c', "1:4: type 'string' does not support field selection"],
	['[].map(x, x + "a") == [1]', "1:20: found no matching overload for '_==_' applied to '(list(string), list(int))'"],
	['[?1]', "1:3: expected type 'optional_type(int)' but found 'int'"],
	['{?"a": 1}', "1:8: expected type 'optional_type(int)' but found 'int'"],
	['!-1', "1:1: found no matching overload for '!_' applied to '(int)'"],
];
for (const [source, ...want] of REFUSED) test(`compile(): ${source}`, (t) => t.deepEqual(issuesOf(source), want));

const UNPREPARED: readonly (readonly [string, string])[] = [
	['bool("x")', "type conversion error from 'string' to 'bool'"],
	['uint(-2.25)', 'unsigned integer overflow'],
	['int("a") == d.n', "type conversion error from 'string' to 'int'"],
	['bool(dyn(1))', 'no such overload: bool(int)'],
	['d.m[bool]', 'invalid qualifier type: *types.Type'],
	['d.l[[1]]', 'invalid qualifier type: *types.baseList'],
];
for (const [source, want] of UNPREPARED)
	test(`prepare(): ${source}`, (t) => {
		const program = compile(env, source);
		t.is(t.throws(() => program.prepare(), { instanceOf: EvalError }).message, want);
	});

const FAILING: readonly (readonly [string, string])[] = [
	['url("")', 'URL parse error during conversion from string: parse "": empty url'],
	['url("::1")', 'URL parse error during conversion from string: parse "::1": missing protocol scheme'],
	['ip(d.n)', 'no such overload: ip(int)'],
	['d.s.ip()', 'no such overload: ip(string)'],
	['d.n.startsWith("a")', 'no such overload'],
	['size(d.n)', 'no such overload: size'],
	['d.n + "a"', 'no such overload'],
	['d.n < "a"', 'no such overload'],
	['!d.n', 'no such overload'],
	['-d.s', 'no such overload'],
	['d.n.map(x, x)', "got 'types.Int', expected iterable type"],
	['d.n.all(x, y, true)', 'unsupported comprehension range type: types.Int'],
	['d.l[9223372036854775807]', 'index out of bounds: 9223372036854775807'],
	['d.l[1.5]', 'unsupported index value 1.5 in list'],
	['d.l["a"]', "unsupported index type 'string' in list"],
	['d.l[d.l]', 'invalid qualifier type: []interface {}'],
	['d.m[d.m]', 'invalid qualifier type: map[string]interface {}'],
	[
		'ip("300.1.1.1")',
		'IP Address "300.1.1.1" parse error during conversion from string: ParseAddr("300.1.1.1"): IPv4 field has value >255',
	],
	['ip("1.2.3")', 'IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short'],
	[
		'ip("01.2.3.4")',
		'IP Address "01.2.3.4" parse error during conversion from string: ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero',
	],
	['ip("1.2.3.x")', 'IP Address "1.2.3.x" parse error during conversion from string: ParseAddr("1.2.3.x"): unexpected character (at "x")'],
	[
		'ip("1..2.3")',
		'IP Address "1..2.3" parse error during conversion from string: ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")',
	],
	['ip("::1%eth0")', 'IP address "::1%eth0" with zone value is not allowed'],
	['ip("::ffff:1.2.3.4")', 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
	['ip("1:2:3")', 'IP Address "1:2:3" parse error during conversion from string: ParseAddr("1:2:3"): address string too short'],
	[
		'ip("1::2::3")',
		'IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
	],
	[
		'ip("12345::")',
		'IP Address "12345::" parse error during conversion from string: ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")',
	],
	[
		'ip("g::")',
		'IP Address "g::" parse error during conversion from string: ParseAddr("g::"): each colon-separated field must have at least one digit (at "g::")',
	],
	[
		'ip("::1:")',
		'IP Address "::1:" parse error during conversion from string: ParseAddr("::1:"): colon must be followed by more characters (at ":")',
	],
	[
		'ip("1:2:3:4:5:6:7:8:9")',
		'IP Address "1:2:3:4:5:6:7:8:9" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")',
	],
	[
		'ip("1:2:3:4:5:6:7:8::")',
		'IP Address "1:2:3:4:5:6:7:8::" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7:8::"): the :: must expand to at least one field of zeros',
	],
	[
		'ip("1:2:3:4:5:6.1.2.3")',
		'IP Address "1:2:3:4:5:6.1.2.3" parse error during conversion from string: ParseAddr("1:2:3:4:5:6.1.2.3"): embedded IPv4 address must replace the final 2 fields of the address (at "6.1.2.3")',
	],
	[
		'ip("::1.2.3.4.5")',
		'IP Address "::1.2.3.4.5" parse error during conversion from string: ParseAddr("::1.2.3.4.5"): IPv4 address too long',
	],
	['ip("a%b")', 'IP Address "a%b" parse error during conversion from string: ParseAddr("a%b"): missing IPv6 address'],
	[
		'cidr("10.0.0.1")',
		'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.1"): no \'/\'',
	],
	[
		'cidr("10.0.0.1/33")',
		'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.1/33"): prefix length out of range',
	],
	[
		'cidr("10.0.0.1/08")',
		'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.1/08"): bad bits after slash: "08"',
	],
	[
		'cidr("x/8")',
		'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP',
	],
	[
		'cidr("fe80::1%a/8")',
		'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::1%a/8"): IPv6 zones cannot be present in a prefix',
	],
	['cidr("10.0.0.0/8").containsIP("x")', 'no such overload'],
	[
		'cidr("10.0.0.0/8").containsCIDR("x")',
		'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x"): no \'/\'',
	],
	['semver("")', 'Version string empty'],
	['semver("1.2")', 'No Major.Minor.Patch elements found'],
	['semver("1.x.3")', 'Invalid character(s) found in minor number "x"'],
	['semver("01.2.3")', 'Major number must not contain leading zeroes "01"'],
	['semver("1.2.3-01")', 'Numeric PreRelease version must not contain leading zeroes "01"'],
	['semver("1.2.3-a_b")', 'Invalid character(s) found in prerelease "a_b"'],
	['semver("1.2.3+")', 'Build meta data is empty'],
	['semver("1.2.3.4")', 'Invalid character(s) found in patch number "3.4"'],
	['semver("1-a", true)', 'short version cannot contain PreRelease/Build meta data'],
	['"%d".format([d.s])', 'error during formatting: decimal clause can only be used on integers, was given string'],
	[
		'"%s".format([dyn(ip("::1"))])',
		'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
	],
];
for (const [source, want] of FAILING)
	test(`evaluate(): ${source}`, (t) => {
		const outcome = evaluated(compile(env, source), (name) => (name === 'd' ? d : undefined), 1000);
		t.is('error' in outcome ? outcome.error.message : '', want);
	});
