import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { ApiRequest } from '../contracts.ts';
import { makeKind } from '../registry/kinds.ts';
import { eventEncoder } from './events.ts';

const kind = makeKind(CONFIG_MAPS);
const ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const created = '2026-01-01T00:00:00Z';

for (const [what, metadata, data] of [
	['a name only', { name: 'a' }, undefined],
	[
		'texts with braces, quotes and other characters',
		{ name: 'a', annotations: { 'e.com/x': '{"a":"}\\"{"}', y: 'ü€\u{1f600}\\' } },
		{ k: '}' },
	],
	[
		'managed fields',
		{ name: 'a', managedFields: [{ manager: 'm', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {} } } }] },
		{ k: '{' },
	],
] as const)
	test(`an event of metadata is cut out of what is stored: ${what}`, (t) => {
		const request = { headers: { accept: ACCEPT }, query: new URLSearchParams('watch=1') } as unknown as ApiRequest;
		const { encoder } = eventEncoder(request, kind, () => 0);
		const object = {
			kind: 'ConfigMap',
			apiVersion: 'v1',
			metadata: { ...metadata, creationTimestamp: created },
			data,
		} as unknown as KubeObject;
		const bytes = encoder.event('ADDED', { value: kind.encode(object), revision: 7n }, undefined);
		const text = Buffer.from(bytes).toString();
		t.true(text.endsWith('}\n'));
		t.deepEqual(JSON.parse(text), {
			type: 'ADDED',
			object: {
				kind: 'PartialObjectMetadata',
				apiVersion: 'meta.k8s.io/v1',
				metadata: { ...metadata, creationTimestamp: created, resourceVersion: '7' },
			},
		});
	});
