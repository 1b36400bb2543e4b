/** A list written item by item is, byte for byte, the whole document. */
import test from 'ava';
import type { MediaType } from './accept.ts';
import { formatted } from './formats.ts';
import { listForm } from './list-form.ts';

const POD = {
	metadata: { name: 'a', labels: { text: 'a <b> & ü', items: '[]' }, annotations: { note: 'items: []\nrows: []\n' } },
	spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'items', value: '' }] }] },
	status: {},
};
const METADATA = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a', labels: { x: 'y' } } };
const LISTS = [
	['items', { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'x', remainingItemCount: 300 } }, POD],
	['items', { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '7' } }, METADATA],
	['items', { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1beta1', metadata: { resourceVersion: '7' } }, METADATA],
	[
		'rows',
		{
			kind: 'Table',
			apiVersion: 'meta.k8s.io/v1',
			metadata: { resourceVersion: '7' },
			columnDefinitions: [{ name: 'Name', type: 'string', description: 'rows: []\nitems: []' }],
		},
		{ cells: ['a', 1, null], object: METADATA },
	],
] as const;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** Tables have no protobuf form. */
const TYPES: readonly (readonly [string, MediaType, boolean])[] = [
	['JSON', 'application/json', false],
	['JSON for people', 'application/json', true],
	['YAML', 'application/yaml', false],
	['protobuf', PROTOBUF, false],
];

for (const [key, head, one] of LISTS)
	for (const [name, mediaType, pretty] of TYPES.filter(([, type]) => key === 'items' || type !== PROTOBUF))
		for (const count of [1, 2, 100])
			test(`listForm: ${count} of ${head.kind} ${head.apiVersion} as ${name}`, (t) => {
				const items = Array.from({ length: count }, (_, i) => ({ ...one, ...(i === 0 ? {} : { metadata: { name: `a-${i}` } }) }));
				const form = listForm({ ...head, [key]: [] }, key, { mediaType, pretty });
				const parts = items.map((item, i) => form.item(item, i === 0));
				const { first, last } = form.around(parts.reduce((sum, { length }) => sum + length, 0));
				const whole = formatted({ ...head, [key]: items }, mediaType, pretty);
				t.is(Buffer.concat([first, ...parts, last]).toString('latin1'), Buffer.from(whole).toString('latin1'));
			});
