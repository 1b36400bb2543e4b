/** Defaults and pruning of objects that are stored in another version than the one asked for, as upstream's storage codec does them. */
import test from 'ava';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { CustomKind } from '../registry/custom-kind.ts';
import { customKinds } from './custom-kinds.ts';
import type { Converter } from './stored-form.ts';

const { signal } = new AbortController();
const version = (name: string, own: string): object => {
	const spec = {
		type: 'object',
		properties: { a: { type: 'string' }, [own]: { type: 'string', default: own }, both: { type: 'string', default: name } },
	};
	const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
	return { name, served: true, storage: name === 'v1', schema };
};
const definition = {
	metadata: { name: 'things.c.io' },
	spec: {
		group: 'c.io',
		scope: 'Cluster',
		names: { plural: 'things', kind: 'Thing' },
		versions: [version('v1', 'one'), version('v2', 'two')],
	},
} as unknown as CustomResourceDefinition;
const RENAMING: Converter = { review: undefined };
const HOOK: Converter = {
	review: (objects, apiVersion) =>
		Promise.resolve(
			objects.map(
				(object) => ({ ...object, apiVersion, spec: { ...(object as { spec?: object }).spec, a: apiVersion, zork: 1 } }) as KubeObject,
			),
		),
};
const thing = (apiVersion: string, spec: object): KubeObject =>
	({ apiVersion, kind: 'Thing', metadata: { name: 'x' }, spec }) as KubeObject;

for (const [what, converter, shown] of [
	['renaming', RENAMING, 'b'],
	['a webhook', HOOK, 'c.io/v2'],
] as const)
	test(`${what}: an object has the defaults of the version it is stored in, and of another one those that it was written with`, async (t) => {
		const [v1, v2] = customKinds(definition, converter, signal).map(({ custom }) => custom) as [CustomKind, CustomKind];
		const stored = await v1.write(thing('c.io/v1', { a: 'b' }), signal);
		await v2.ready([stored], signal);
		t.deepEqual((v2.read(stored) as { spec?: object }).spec, { a: shown, both: 'v1' });
		const other = await v2.write(thing('c.io/v2', { a: 'b', two: 'two', both: 'mine' }), signal);
		await v2.ready([other], signal);
		t.deepEqual((v2.read(other) as { spec?: object }).spec, { a: shown, both: 'mine' }, 'through the store and back');
		const kept = JSON.parse(Buffer.from(other.bytes).toString()) as { spec: object };
		t.false('two' in kept.spec || 'one' in kept.spec || 'zork' in kept.spec);
	});

test('what a mutating webhook put beside the schema is not answered, and is there when the schema knows it', async (t) => {
	const [v1] = customKinds(definition, RENAMING, signal).map(({ custom }) => custom) as [CustomKind];
	const stored = await v1.write(thing('c.io/v1', { a: 'b', zork: 1 }), signal);
	t.deepEqual((v1.read(stored) as { spec?: object }).spec, { a: 'b', one: 'one', both: 'v1' });
	const kept = JSON.parse(Buffer.from(stored.bytes).toString()) as { spec: object };
	t.true('zork' in kept.spec);
});

test('a definition from before schemas were structural keeps what it does not know, and nulls', async (t) => {
	const old = { ...definition, spec: { ...definition.spec, preserveUnknownFields: true } } as CustomResourceDefinition;
	const [v1, v2] = customKinds(old, RENAMING, signal).map(({ custom }) => custom) as [CustomKind, CustomKind];
	const spec = { a: null, one: '1', both: 'b', zork: { list: [{ b: 1 }] } };
	const sent = { ...thing('c.io/v1', spec), other: 1 };
	const decoded = v1.decodeBody(Buffer.from(JSON.stringify(sent)), 'application/json', {
		strictness: 'Strict',
		warn: () => t.fail('nothing is unknown'),
	});
	t.deepEqual(decoded, sent);
	const stored = await v1.write(decoded, signal);
	t.deepEqual(v1.read(stored), sent);
	t.deepEqual(v2.read(stored), { ...sent, apiVersion: 'c.io/v2' });
	t.is(v1.validateCreate(decoded, () => {})[0]?.field, 'spec.a', 'null is still no text');
});
