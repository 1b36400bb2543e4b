import test from 'ava';
import type { Binding, Pod } from '../../../api/gen/types.ts';
import { bound } from './pod-binding.ts';
import { settleMetadata } from './posted-metadata.ts';

const NOW = Date.UTC(2026, 0, 1);
const pod = (part: object = {}): Pod =>
	({ metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' }, spec: { containers: [] }, ...part }) as unknown as Pod;
const binding = (metadata: object = {}): Binding => ({ metadata: { name: 'a', ...metadata }, target: { name: 'node' } }) as Binding;
const STALE =
	'StorageError: invalid object, Code: 4, Key: /registry/pods/n/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed:';

test('a binding gives the node, and labels and annotations on top', (t) => {
	const made = bound(pod(), binding({ uid: 'u', resourceVersion: '7', labels: { l: '1' } }), 'a', NOW);
	t.deepEqual([made.spec?.nodeName, made.metadata.labels, made.status?.conditions?.[0]?.type], ['node', { l: '1' }, 'PodScheduled']);
});

test('a pod that has its node is nominated for none', (t) => {
	const made = bound(pod({ status: { phase: 'Pending', nominatedNodeName: 'node' } }), binding(), 'a', NOW);
	t.is(made.status?.phase, 'Pending');
	t.false('nominatedNodeName' in (made.status ?? {}));
});

for (const [rule, given, metadata, want] of [
	['of another uid', pod(), { uid: 'x' }, `pods "a": ${STALE} UID in precondition: x, UID in object meta: u`],
	[
		'of another version',
		pod(),
		{ resourceVersion: '1' },
		`pods "a": ${STALE} ResourceVersion in precondition: 1, ResourceVersion in object meta: 7`,
	],
	['of a bound pod', pod({ spec: { nodeName: 'm' } }), {}, 'pods/binding "a": pod a is already assigned to node "m"'],
	[
		'of a gated pod',
		pod({ spec: { schedulingGates: [{ name: 'g' }] } }),
		{},
		'pods/binding "a": pod a has non-empty .spec.schedulingGates',
	],
] as const)
	test(`a binding is refused: ${rule}`, (t) => {
		t.throws(() => bound(given, binding(metadata), 'a', NOW), { message: `Operation cannot be fulfilled on ${want}` });
	});

const ELSEWHERE = 'the namespace of the provided object does not match the namespace sent on the request';
for (const [what, given, at, want] of [
	['no namespace', { name: 'a' }, { namespace: 'n', subresource: '' }, { name: 'a', namespace: 'n' }],
	['its namespace', { namespace: 'n' }, { namespace: 'n', subresource: '' }, { namespace: 'n' }],
	['another namespace', { namespace: 'm' }, { namespace: 'n', subresource: '' }, ELSEWHERE],
	['a namespace where there is none', { namespace: 'm' }, { namespace: '', subresource: '' }, {}],
	['what the server says', { uid: 'u', creationTimestamp: 't', selfLink: 's' }, { namespace: '', subresource: '' }, {}],
	['the object it is for', { uid: 'u', deletionTimestamp: 't' }, { namespace: 'n', subresource: 'binding' }, { uid: 'u', namespace: 'n' }],
] as const)
	test(`what is posted says ${what}`, (t) => {
		const metadata = { ...given };
		const settle = (): void => settleMetadata({ metadata } as never, at);
		if (want === ELSEWHERE) t.is(t.throws(settle).message, want);
		else {
			settle();
			t.deepEqual(metadata as object, want as object);
		}
	});
