import test from 'ava';
import { decodeBody, type Decoding } from './codec.ts';

test('of an internal version all is unknown, and schemas in definitions are not read strictly', (t) => {
	const read = (object: object, kind: Parameters<typeof decodeBody>[2]): readonly string[] => {
		const told: string[] = [];
		const decoding = { strictness: 'Warn', warn: (text: string) => void told.push(text) } as const;
		try {
			decodeBody(Buffer.from(JSON.stringify(object)), 'application/json', kind, decoding);
		} catch {}
		return told;
	};
	const map = { group: '', version: 'v1', kind: 'ConfigMap' };
	t.deepEqual(read({ apiVersion: '__internal', kind: 'ConfigMap', metadata: { name: 'a' } }, map), ['unknown field "metadata"']);
	const definition = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
	const schema = { type: 'object', z: 1, additionalProperties: { z: 1 }, items: { z: 1 } };
	const versions = [{ name: 'v1', schema: { openAPIV3Schema: schema } }];
	t.deepEqual(read({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec: { versions } }, definition), [
		'unknown field "spec.versions[0].schema.openAPIV3Schema.z"',
	]);
});

test('YAML is read as JSON with sorted keys', (t) => {
	const told: string[] = [];
	const body = 'zork: 1\napiVersion: v1\nkind: ConfigMap\nmetadata: {zz: 1, bb: 1}\nfoo: 2\n';
	const decoding: Decoding = { strictness: 'Warn', warn: (text) => void told.push(text) };
	decodeBody(Buffer.from(body), 'application/yaml', { group: '', version: 'v1', kind: 'ConfigMap' }, decoding);
	t.deepEqual(
		told,
		['foo', 'metadata.bb', 'metadata.zz', 'zork'].map((field) => `unknown field "${field}"`),
	);
});

for (const [kind, body, why] of [
	[
		{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
		{ apiVersion: 'v1', kind: 'Pod' },
		'Pod in version "v1" cannot be handled as a CustomResourceDefinition: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
	],
	[
		{ group: 'events.k8s.io', version: 'v1', kind: 'Event' },
		{ apiVersion: 'events.k8s.io/v1', kind: 'EventList' },
		'EventList in version "v1" cannot be handled as a Event: converting (v1.EventList) to (core.Event): unknown conversion',
	],
] as const)
	test(`a ${body.kind} is no ${kind.kind}`, (t) => {
		const decoding: Decoding = { strictness: 'Ignore', warn: () => {} };
		t.is(t.throws(() => decodeBody(Buffer.from(JSON.stringify(body)), 'application/json', kind, decoding)).message, why);
	});
