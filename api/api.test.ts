/** Quantities, times, Status and field errors. */
import test from 'ava';
import { hasLongInteger } from './codec/json-text.ts';
import { invalidValue, required } from './field-error.ts';
import { scaledValue } from './int-or-string.ts';
import { addQuantities, canonicalQuantity, ceilMilli, ceilUnits, compareQuantities, roundedToMilli } from './quantity.ts';
import { RESOURCES, resourceByKind, resourceByPlural } from './resources.ts';
import { sameButNulls, sameJson } from './same-json.ts';
import { schemaOfKind } from './schema.ts';
import { conflict, expired, invalid, notFound, toStatusError } from './status.ts';
import { canonicalDuration, canonicalMicroTime, canonicalTime } from './time.ts';

const quantities: readonly (readonly [given: string | number, canonical: string])[] = [
	['1', '1'],
	['0.1', '100m'],
	['100m', '100m'],
	['1000m', '1'],
	['1024Mi', '1Gi'],
	['1.5Gi', '1536Mi'],
	['1000', '1k'],
	['1e3', '1e3'],
	['1E3', '1E3'],
	['12e6', '12e6'],
	['0', '0'],
	['0Gi', '0'],
	['-1', '-1'],
	['+1', '+1'],
	['+1000', '1k'],
	['+1Ki', '+1Ki'],
	['8.Ki', '8Ki'],
	['.5', '500m'],
	['1.', '1.'],
	['1.500', '1.500'],
	['1.5', '1500m'],
	['1.5k', '1500'],
	['1.500k', '1.500k'],
	['.', '0'],
	['-', '0'],
	['M', '0'],
	['100E', '100E'],
	['12345678901234567890G', '12345678901234567890G'],
	['9Ei', '9223372036854775807'],
	['1000E', '1'],
	['0.5Ki', '512'],
	['1e-10', '1e-9'],
	['1e30', '1e30'],
	['1Ki', '1Ki'],
	['100Ki', '100Ki'],
	['1000Ki', '1000Ki'],
	['512', '512'],
	['1n', '1n'],
	['0.0000000001', '1n'],
	[2.5, '2500m'],
	['1500u', '1500u'],
	['1000000', '1M'],
];
for (const [given, want] of quantities) test(`quantity ${String(given)}`, (t) => t.is(canonicalQuantity(given), want));
const FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX = "unable to parse quantity's suffix";
for (const [bad, why] of [
	['', FORM],
	[' 1', FORM],
	['1 Gi', FORM],
	['1x', FORM],
	['1.2.3', FORM],
	['--1', SUFFIX],
	['1KI', FORM],
	['1K', SUFFIX],
	['1ki', SUFFIX],
	['1-9', SUFFIX],
	['5e', SUFFIX],
	['1e99999', SUFFIX],
	['.e-10', 'unable to parse numeric part of quantity'],
] as const)
	test(`no quantity: ${JSON.stringify(bad)}`, (t) => t.is(t.throws(() => canonicalQuantity(bad)).message, why));

test('quantities add, compare and round up', (t) => {
	t.is(addQuantities('100m', '0.9'), '1');
	t.is(addQuantities('0', '1Gi'), '1Gi');
	t.is(compareQuantities('1Gi', '1G'), 1);
	t.is(compareQuantities('1000m', 1), 0);
	t.is(ceilMilli('0.0001'), 1);
	t.is(ceilUnits('1.1'), 2);
	t.is(ceilUnits(undefined), 0);
	t.is(roundedToMilli('0.0001'), '1m');
	t.is(roundedToMilli('1.500'), '1.500');
	t.is(roundedToMilli('1.500001'), '1501m');
});

const times: readonly (readonly [given: string, canonical: string])[] = [
	['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
	['2026-01-31T23:59:59Z', '2026-01-31T23:59:59Z'],
	['2026-01-02T03:04:05.999Z', '2026-01-02T03:04:05Z'],
	['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
	['2026-01-02T3:04:05,5Z', '2026-01-02T03:04:05Z'],
	['2024-02-29T23:59:59-24:00', '2024-03-01T23:59:59Z'],
];
for (const [given, want] of times) test(`time ${given}`, (t) => t.is(canonicalTime(given), want));
for (const [given, why] of [
	['', ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
	['2026-01-02', ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
	['2026-13-02T03:04:05Z', ': month out of range'],
	['2026-02-29T03:04:05Z', ': day out of range'],
	['2026-01-02T24:04:05Z', ': hour out of range'],
	['2026-01-02T03:04:3:04Z', ' as "2006-01-02T15:04:05Z07:00": cannot parse "3:04Z" as "05"'],
	['2026-01-02T03:04:05', ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
	['2026-01-02T03:04:05Zé', ': extra text: "\\xc3\\xa9"'],
] as const)
	test(`no time: ${given}`, (t) => t.true(t.throws(() => canonicalTime(given)).message.endsWith(`"${why}`)));

test('micro times and durations', (t) => {
	t.is(canonicalMicroTime('2026-01-02T03:04:05.123456+01:00'), '2026-01-02T02:04:05.123456Z');
	t.throws(() => canonicalMicroTime('2026-01-02T03:04:05Z'), {
		message: 'parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
	});
	for (const [given, want] of [
		['90m', '1h30m0s'],
		['1.5s', '1.5s'],
		['1500us', '1.5ms'],
		['0', '0s'],
		['-2ms', '-2ms'],
		['100h', '100h0m0s'],
	] as const)
		t.is(canonicalDuration(given), want);
	t.throws(() => canonicalDuration('1'));
});

test("Status: upstream's texts", (t) => {
	const pods = { group: '', plural: 'pods' };
	t.is(notFound(pods, 'a').message, 'pods "a" not found');
	t.is(
		conflict({ group: 'apps', plural: 'deployments' }, 'a', 'why').message,
		'Operation cannot be fulfilled on deployments.apps "a": why',
	);
	t.is(
		invalid({ group: 'apps', kind: 'Deployment' }, 'a', [required('spec.selector')]).message,
		'Deployment.apps "a" is invalid: spec.selector: Required value',
	);
	t.is(
		invalid({ group: '', kind: 'Pod' }, 'a', [required('spec.a', 'why'), invalidValue('spec.b', 'x', 'bad')]).message,
		'Pod "a" is invalid: [spec.a: Required value: why, spec.b: Invalid value: "x": bad]',
	);
	t.is(expired('old').httpCode, 410);
	t.is(toStatusError(new Error('x')).httpCode, 500);
});

test('registry: every kind is in the contract, lookups find it', (t) => {
	for (const { group, version, kind, plural } of RESOURCES) {
		t.truthy(schemaOfKind(group, version, kind), `${group}/${version} ${kind}`);
		t.is(resourceByPlural(group, version, plural)?.kind, kind);
	}
	t.is(resourceByKind('apps', 'v1', 'Deployment')?.plural, 'deployments');
});

test('counts and percentages', (t) => {
	t.is(scaledValue(3, 10, 'up'), 3);
	t.is(scaledValue('25%', 10, 'up'), 3);
	t.is(scaledValue('25%', 10, 'down'), 2);
	t.throws(() => scaledValue('x', 10, 'up'));
});

const nothing: unknown = undefined;
for (const [name, a, b, want] of [
	['members in another order', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
	['an undefined member is not there', { a: 1, b: nothing }, { a: 1, c: nothing }, true],
	['null is there', { a: null }, {}, false],
	['inherited names are not members', { constructor: 1 }, {}, false],
	['a prototype says nothing', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }, true],
	['a list is no map', [1], { 0: 1 }, false],
	['lists are ordered', [1, 2], [2, 1], false],
	['neighbours beyond 2^53', { n: 2n ** 53n }, { n: 2n ** 53n + 1n }, false],
] as const)
	test(`sameJson(): ${name}`, (t) => t.is(sameJson(a, b), want));

test('sameButNulls(): null is not there', (t) => {
	t.true(sameButNulls({ a: null, b: [{ c: nothing }] }, { b: [{ d: null }] }));
	t.false(sameButNulls({ a: null }, { a: 0 }));
	t.false(sameButNulls({}, { a: 0 }));
	t.true(sameButNulls(null, nothing));
});

test('hasLongInteger() finds a run of sixteen digits wherever it stands', (t) => {
	for (let at = 0; at < 40; at++) {
		t.true(hasLongInteger(`${'x'.repeat(at)}1234567890123456${'y'.repeat(at % 7)}`));
		t.false(hasLongInteger(`${'x'.repeat(at)}123456789012345${'y'.repeat(at % 7)}`));
	}
});
