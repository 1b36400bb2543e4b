import test from 'ava';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';

const apiVersion = 'meta.k8s.io/v1beta1';

/** Go's own bytes: the items of the list are its first field. */
for (const [object, base64] of [
	[
		{ kind: 'PartialObjectMetadata', apiVersion, metadata: { name: 'a', namespace: 'n' } },
		'azhzAAosChNtZXRhLms4cy5pby92MWJldGExEhVQYXJ0aWFsT2JqZWN0TWV0YWRhdGESFAoSCgFhEgAaAW4iACoAMgA4AEIAGgAiAA==',
	],
	[
		{ kind: 'PartialObjectMetadataList', apiVersion, metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'a' } }] },
		'azhzAAowChNtZXRhLms4cy5pby92MWJldGExEhlQYXJ0aWFsT2JqZWN0TWV0YWRhdGFMaXN0Eh4KEwoRCgFhEgAaACIAKgAyADgAQgASBwoAEgE3GgAaACIA',
	],
] as const)
	test(`protobuf of a ${object.kind} of v1beta1 is Go's`, (t) => {
		t.is(encodeEnvelope(object)?.toString('base64'), base64);
		t.like(decodeEnvelope(Buffer.from(base64, 'base64')), object);
	});

test('a kind that has no v1beta1 has no protobuf of it', (t) => t.is(encodeEnvelope({ kind: 'Table', apiVersion }), undefined));
