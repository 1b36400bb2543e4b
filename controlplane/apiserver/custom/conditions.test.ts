/** Conditions of definitions, as upstream's controllers set them. */
import test from 'ava';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import { conditionOf, nextStatus, withConditions } from './conditions.ts';

const NAMES = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };
const definition = (names: object, status: object): CustomResourceDefinition =>
	({ metadata: { name: 'as.c.io' }, spec: { group: 'c.io', names, versions: [] }, status }) as unknown as CustomResourceDefinition;
const FALSE = { type: 'NamesAccepted', status: 'False', reason: 'KindConflict', message: 'm', lastTransitionTime: 'then' };

test('nextStatus(): names that are granted as they are asked for are not looked at again', (t) => {
	for (const conditions of [[], [FALSE]]) {
		const settled = definition({ ...NAMES, shortNames: [] }, { acceptedNames: NAMES, conditions });
		t.is(nextStatus(settled, [], 0), settled, 'whatever somebody has made of the conditions');
	}
	const accepted = { ...FALSE, status: 'True' };
	const next = nextStatus(definition(NAMES, { acceptedNames: NAMES, conditions: [accepted] }), [], 0);
	t.is(conditionOf(next, 'Established')?.status, 'True', 'one with accepted names is established all the same');
});

test('nextStatus(): a name that is new is granted, or told of', (t) => {
	const asked = definition(NAMES, { acceptedNames: { plural: '', kind: '' }, conditions: null });
	t.is(conditionOf(nextStatus(asked, [], 0), 'Established')?.status, 'True');
	const refused = nextStatus(asked, [definition(NAMES, { acceptedNames: NAMES })], 0);
	t.is(conditionOf(refused, 'NamesAccepted')?.message, '"AList" is already in use');
	t.is(conditionOf(refused, 'Established')?.reason, 'NotAccepted');
});

test('nextStatus(): a name that the definition has already is in use, as upstream has it', (t) => {
	const next = nextStatus(definition({ ...NAMES, shortNames: ['a', 'b'] }, { acceptedNames: NAMES, conditions: [] }), [], 0);
	const { status, reason, message } = conditionOf(next, 'NamesAccepted') ?? {};
	t.deepEqual([status, reason, message], ['False', 'ShortNamesConflict', '"a" is already in use']);
	t.deepEqual(next.status?.acceptedNames as unknown, NAMES);
});

test('nextStatus(): a definition says how it is not structural for as long as it is not', (t) => {
	const old = (schema: object, preserves: boolean, conditions: readonly object[] = []): CustomResourceDefinition => {
		const made = definition(NAMES, { acceptedNames: NAMES, conditions });
		const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
		return { ...made, spec: { ...made.spec, preserveUnknownFields: preserves, versions } } as unknown as CustomResourceDefinition;
	};
	const said = (given: CustomResourceDefinition): readonly (string | undefined)[] => {
		const { status, reason, message } = conditionOf(nextStatus(given, [], 0), 'NonStructuralSchema') ?? {};
		return [status, reason, message];
	};
	const PRESERVES = 'spec.preserveUnknownFields: Invalid value: true: must be false';
	t.deepEqual(said(old({ type: 'object' }, true)), ['True', 'Violations', PRESERVES]);
	t.deepEqual(said(old({ type: 'object', properties: { a: {} } }, true)), [
		...['True', 'Violations'],
		`[${PRESERVES}, spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields]`,
	]);
	t.deepEqual(said(old({ type: 'object', properties: { a: { $ref: 'x' } } }, true)), [
		...['Unknown', 'StructuralError'],
		"failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported",
	]);
	const before = { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: 'x', lastTransitionTime: 'then' };
	t.deepEqual(said(old({ type: 'object' }, false, [before])), [undefined, undefined, undefined]);
	const settled = nextStatus(old({ type: 'object' }, true), [], 0);
	t.is(nextStatus(settled, [], 1), settled);
});

const ESTABLISHED = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'm' } as const;

for (const [whose, manager, kept] of [
	['nobody', undefined, {}],
	['the server', 'kube-apiserver', {}],
	['a client', 'someone', { observedGeneration: 1 }],
] as const)
	test(`withConditions(): a generation that is ${whose}'s beside a condition`, (t) => {
		const condition = { ...ESTABLISHED, lastTransitionTime: 'then' };
		const fieldsV1 = { 'f:status': { 'f:conditions': { 'k:{"type":"Established"}': { 'f:observedGeneration': {} } } } };
		const managedFields = manager === undefined ? [] : [{ manager, fieldsV1 }];
		const metadata = { generation: 2, managedFields };
		const given = { metadata, status: { conditions: [{ ...condition, observedGeneration: 1 }] } } as never;
		const next = withConditions(given, [], 0);
		t.deepEqual(next.status?.conditions as unknown, [{ ...condition, ...kept }]);
		t.is(withConditions(next, [], 0), next);
		const changed = withConditions(next, [{ ...ESTABLISHED, reason: 'Other' }], 0);
		t.deepEqual(changed.status?.conditions as unknown, [{ ...condition, reason: 'Other', ...kept }]);
	});

test('withConditions(): a condition that a client gave no time has one from its next change on', (t) => {
	const given = { metadata: {}, status: { conditions: [{ ...ESTABLISHED, lastTransitionTime: null }] } } as never;
	const [next] = withConditions(given, [{ ...ESTABLISHED, message: 'n' }], 0).status?.conditions ?? [];
	t.is(next?.lastTransitionTime, '1970-01-01T00:00:00Z');
});
