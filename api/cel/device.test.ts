import test from 'ava';
import type { Device } from '../gen/types.ts';
import { DEVICE, deviceSizes, MAX_SELECTOR_COST } from './device-type.ts';
import { deviceMatch } from './device.ts';
import { compile } from './environment.ts';
import { EvalError } from './errors.ts';
import { CompileError } from './issues.ts';
import { declaredName } from './types.ts';

const DRIVER = 'dra.example.com';
const D = `device.attributes["${DRIVER}"]`;
const C = `device.capacity["${DRIVER}"]`;
const TEN = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
const nested = ['x', 'y', 'z', 'z2', 'z3', 'z4', 'z5'].reduceRight(
	(inner, v) => `${TEN}.all(${v}, ${inner})`,
	"int('1'.find('[0-9]*')) < 100",
);

// Upstream's own table (dynamic-resource-allocation/cel/compile_test.go), and what its compiler says of more.
for (const [expression, cost] of [
	['true', 0],
	['device.attributes["no-such-domain"].noSuchAttr.isGreaterThan(quantity("0"))', 6],
	['"no-such-domain" in device.attributes', 3],
	['device.driver == ""', 2],
	[`device.driver == "${DRIVER}"`, 4],
	[`${D}.name`, 4],
	[`${D}["name"]`, 4],
	[`cel.bind(dra, ${D}, dra.name)`, 15],
	[`cel.bind(a, ${D}, cel.bind(b, a.x, b == "abc" || a.y))`, 29],
	[`${D}.name > 0`, 5],
	[`${D}.name == "fish"`, 5],
	[`${D}.name.isGreaterThan(semver("v0.0.1", true)) && isSemver("v1.0.0", true)`, 7],
	[`${C}.name.isGreaterThan(quantity("1Ki"))`, 6],
	[`!("name" in ${C}) || ${C}.name.isGreaterThan(quantity("1Ki"))`, 11],
	[`${D}.a && ${D}.b && ${D}.c`, 12],
	[`device.attributes.exists_one(x, x == "${DRIVER}")`, 164],
	[`${D}.exists_one(x, x == "services")`, 133],
	[`${D}.services.split("example").size() >= 2`, 19],
	[`${D}.services.matches("[^a]?sym")`, 18],
	[`device.capacity.exists_one(x, x == "${DRIVER}")`, 164],
	[`${C}.exists_one(x, x == "memory")`, 133],
	['device.allowMultipleAllocations == true', 3],
	[nested, 85_555_551],
] as const)
	test(`${expression} may cost ${cost}`, (t) => t.is(compile(DEVICE, expression).estimate(deviceSizes).max, cost));

for (const [expression, want] of [
	['dyn(true)', 'dyn'],
	[`${D}.l`, 'google.protobuf.Any'],
	[`${D}.l.b`, 'dyn'],
	[`${D}.?l.orValue(true)`, 'google.protobuf.Any'],
	['device.attributes', 'map(string, map(string, google.protobuf.Any))'],
] as const)
	test(`${expression} is of type ${want}`, (t) => t.is(declaredName(compile(DEVICE, expression).type), want));

for (const [expression, want] of [
	[`${D}.l.exists(x, x == 1)`, "expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)"],
	['device.attributes[true].b', "found no matching overload for '_[_]' applied to '(map(string, map(string, any)), bool)'"],
	['cel.bind(a.b, 1, true)', 'cel.bind() variable names must be simple identifiers'],
	['cel.bind(a, 1)', "undeclared reference to 'cel' (in container '')"],
] as const)
	test(`${expression}: ${want}`, (t) => {
		const error = t.throws(() => compile(DEVICE, expression), { instanceOf: CompileError });
		t.true(error.message.includes(want), error.message);
	});

const device: Device = {
	name: 'd',
	attributes: { x: { bool: true }, y: { bool: false }, n: { int: 3 } },
	capacity: { memory: { value: '1Gi' } },
};
for (const [expression, want] of [
	[`cel.bind(d, ${D}, d.x && !d.y)`, true],
	[`cel.bind(d, ${D}, d.x && d.y)`, false],
	[`cel.bind(cel, ${D}, cel.n == 3)`, true],
	[`cel.bind(never, 1 / 0, ${D}.x)`, true],
] as const)
	test(`deviceMatch(): ${expression} is ${want}`, (t) => t.is(deviceMatch(expression)(DRIVER, device), want));

for (const [attribute, want] of [
	[{ int: 3 }, "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool"],
	[{ string: 'a' }, "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'"],
	[
		{ version: '1.2.3' },
		"CEL result of type kubernetes.Semver could not be converted to bool: type conversion error from 'Semver' to 'bool'",
	],
] as const)
	test(`deviceMatch(): ${JSON.stringify(attribute)} is no answer`, (t) => {
		const one = { name: 'd', attributes: { x: attribute } };
		t.throws(() => deviceMatch(`${D}.x`)(DRIVER, one), { instanceOf: EvalError, message: want });
	});

test('the limit is the one of the scheduler', (t) => t.is(MAX_SELECTOR_COST, 1_000_000));
