import test from 'ava';
import { compile, environment, evaluated } from '../environment.ts';
import { toJson } from '../json.ts';

const env = environment({});

function result(source: string): unknown {
	const outcome = evaluated(compile(env, source), () => undefined, 1_000_000);
	return 'error' in outcome ? `error: ${outcome.error.message}` : toJson(outcome.value);
}

for (const [source, want] of [
	["'héllo'.charAt(1)", 'é'],
	["'abcabc'.indexOf('c', 3)", 5],
	["'abcabc'.lastIndexOf('a')", 3],
	["'Ab'.lowerAscii() + 'Ab'.upperAscii()", 'abAB'],
	["'aaa'.replace('a', 'b', 2)", 'bba'],
	["'a,b,c'.split(',', 2)", ['a', 'b,c']],
	["'hello'.substring(1, 3)", 'el'],
	["'hello'.substring(9)", 'error: index out of range: 9'],
	["'  x '.trim() + ['a', 'b'].join('-')", 'xa-b'],
	["'%s is %d (%.2f, %x)'.format([dyn('a'), 5, 1.5, 255])", 'a is 5 (1.50, ff)'],
	// Literals inside of format() may mix types.
	["'%s is %d'.format(['a', 5])", 'a is 5'],
	["'%s %s'.format([['a', 1], {'b': [2.5, b'x']}])", '["a", 1] {"b":[2.500000, b"x"]}'],
	["'%e, %e'.format([12345.678, -1.5e-7])", '1.234568×10⁰⁴, -1.500000×10⁻⁰⁷'],
	["string(1e6) + ' ' + string(100000.0)", '1e+06 100000'],
	['[3, 1, 2].isSorted() || [1, 2].sum() != 3', false],
	['[3, 1, 2].max() + [3, 1, 2].min()', 4],
	['[3, 1, 2].sort()', [1, 2, 3]],
	['[[1], [2, 3]].flatten()', [1, 2, 3]],
	["[{'n': 2}, {'n': 1}].sortBy(e, e.n)[0].n", 1],
	['[1, 2, 2].distinct().size()', 2],
	['sets.contains([1, 2, 3], [2, 1])', true],
	['sets.intersects([1], [2])', false],
	["'a1b22'.findAll('[0-9]+')", ['1', '22']],
	["url('https://a.io:80/x?y=1').getHost()", 'a.io:80'],
	["isURL('nope')", false],
	["quantity('1Gi').compareTo(quantity('1024Mi'))", 0],
	["quantity('50k').add(20).asInteger()", 50020],
	["isQuantity('x')", false],
	["ip('::1').isLoopback() && ip('10.0.0.1').family() == 4", true],
	["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
	["cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')", false],
	["string(cidr('10.1.2.3/8').masked())", '10.0.0.0/8'],
	["format.dns1123Label().validate('a-b').hasValue()", false],
	["format.dns1123Label().validate('A').value().size()", 1],
	["semver('1.2.3').isLessThan(semver('1.10.0'))", true],
	["isSemver('v1.2')", false],
	["isSemver('v1.2', true)", true],
	['string(timestamp("2023-12-31T23:59:59.5+02:00"))', '2023-12-31T23:59:59.5+02:00'],
	['"%s".format([timestamp("2023-12-31T23:59:59-05:30")])', '2023-12-31T23:59:59-05:30'],
	['string(timestamp("2023-12-31T23:59:59.5+02:00") + duration("1h"))', '2024-01-01T00:59:59.5+02:00'],
	['timestamp("2023-12-31T23:59:59.5+02:00").getHours()', 21],
	['timestamp(0).getHours("Local")', 0],
	['[1, 2].first().value() + [1, 2].last().value()', 3],
	['[].first().hasValue()', false],
	['double("1_0")', 10],
	['{"a": 1, "a": 2}.a', 2],
	['sign(quantity("-1"))', -1],
	['duration("9223372036s") + duration("9223372036s")', 'error: integer overflow'],
	['format.byte().validate("").hasValue()', true],
] as const)
	test(`evaluates ${source}`, (t) => t.deepEqual(result(source), want));
