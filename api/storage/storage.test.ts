import test from 'ava';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../gen/types.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from './annotations.ts';
import { boundClaim, boundVolume, unboundVolume } from './bind.ts';
import { classOfClaim, defaultClass, hasClass } from './class.ts';
import { findVolume, mismatch } from './match.ts';
import { claimKeysOf } from './pod-claims.ts';

const claim = (spec: object = {}, metadata: object = {}): PersistentVolumeClaim => ({
	metadata: { namespace: 'n', name: 'c', uid: 'cu', resourceVersion: '7', ...metadata },
	spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, storageClassName: 'fast', ...spec },
});
const volume = (name: string, storage: string, spec: object = {}, more: object = {}): PersistentVolume => ({
	metadata: { name },
	spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, storageClassName: 'fast', ...spec },
	status: { phase: 'Available' },
	...more,
});
const hostAffinity = (host: string): object => ({
	nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In', values: [host] }] }] } },
});
const node = (host: string): Node => ({ metadata: { name: host, labels: { host } } });
const bound = (uid?: string): object => ({ claimRef: { namespace: 'n', name: 'c', uid } });

for (const [name, one, volumes, search, want] of [
	['the smallest that is large enough', claim(), [volume('a', '10Gi'), volume('b', '6Gi'), volume('c', '1Gi')], {}, 'b'],
	['equal sizes: the first', claim(), [volume('a', '5Gi'), volume('b', '5Gi')], {}, 'a'],
	[
		'few access modes before a better size',
		claim(),
		[volume('a', '5Gi', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }), volume('b', '9Gi')],
		{},
		'b',
	],
	[
		'for a node the size alone',
		claim(),
		[volume('a', '5Gi', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }), volume('b', '9Gi')],
		{ node: node('x') },
		'a',
	],
	['not of another class', claim(), [volume('a', '5Gi', { storageClassName: 'slow' })], {}, undefined],
	['no class at all matches none', claim({ storageClassName: '' }), [volume('a', '5Gi', { storageClassName: undefined })], {}, 'a'],
	['all access modes', claim({ accessModes: ['ReadWriteMany'] }), [volume('a', '5Gi')], {}, undefined],
	['the volume mode', claim({ volumeMode: 'Block' }), [volume('a', '5Gi'), volume('b', '9Gi', { volumeMode: 'Block' })], {}, 'b'],
	['the attributes class', claim({ volumeAttributesClassName: 'gold' }), [volume('a', '5Gi')], {}, undefined],
	[
		'the selector',
		claim({ selector: { matchLabels: { disk: 'ssd' } } }),
		[volume('a', '5Gi'), volume('b', '9Gi', {}, { metadata: { name: 'b', labels: { disk: 'ssd' } } })],
		{},
		'b',
	],
	['only available ones', claim(), [volume('a', '5Gi', {}, { status: { phase: 'Released' } })], {}, undefined],
	['not one that is going', claim(), [volume('a', '5Gi', {}, { metadata: { name: 'a', deletionTimestamp: 'now' } })], {}, undefined],
	['not one of another claim', claim(), [volume('a', '5Gi', { claimRef: { namespace: 'n', name: 'other' } })], {}, undefined],
	['one bound to it by name', claim(), [volume('a', '5Gi'), volume('b', '9Gi', bound())], {}, 'b'],
	['one bound to it although of another class', claim(), [volume('b', '9Gi', { ...bound('cu'), storageClassName: 'slow' })], {}, 'b'],
	['not one bound to a former claim of the name', claim(), [volume('b', '9Gi', bound('former'))], {}, undefined],
	['nor one bound to it that is too small', claim(), [volume('b', '1Gi', bound('cu'))], {}, undefined],
	['delayed: nothing', claim(), [volume('a', '5Gi')], { isDelayed: true }, undefined],
	['delayed: but what was bound beforehand', claim(), [volume('a', '5Gi', bound())], { isDelayed: true }, 'a'],
	['delayed: with a node', claim(), [volume('a', '5Gi')], { isDelayed: true, node: node('x') }, 'a'],
	[
		'that the node reaches',
		claim(),
		[volume('a', '5Gi', hostAffinity('x')), volume('b', '9Gi', hostAffinity('y'))],
		{ node: node('y') },
		'b',
	],
	[
		'bound beforehand elsewhere: none',
		claim(),
		[volume('a', '5Gi', { ...bound('cu'), ...hostAffinity('x') })],
		{ node: node('y') },
		undefined,
	],
	['not one spoken for', claim(), [volume('a', '5Gi'), volume('b', '9Gi')], { taken: new Set(['a']) }, 'b'],
] as const)
	test(`findVolume(): ${name}`, (t) => t.is(findVolume(one, volumes, { isDelayed: false, ...search })?.metadata.name, want));

for (const [name, one, want] of [
	['it does', volume('a', '5Gi'), undefined],
	['it is going', volume('a', '5Gi', {}, { metadata: { name: 'a', deletionTimestamp: 'now' } }), 'the volume is marked for deletion "a"'],
	['too small', volume('a', '4Gi'), 'requested PV is too small'],
	['class', volume('a', '5Gi', { storageClassName: 'slow' }), 'storageClassName does not match'],
	['attributes', volume('a', '5Gi', { volumeAttributesClassName: 'gold' }), 'volumeAttributesClassName does not match'],
	['mode', volume('a', '5Gi', { volumeMode: 'Block' }), 'incompatible volumeMode'],
	['access', volume('a', '5Gi', { accessModes: ['ReadOnlyMany'] }), 'incompatible accessMode'],
] as const)
	test(`mismatch(): ${name}`, (t) => t.is(mismatch(one, claim()), want));

test('a binding names both sides and says who chose; letting go undoes only what was chosen here', (t) => {
	const chosen = boundVolume(volume('a', '5Gi'), claim());
	t.deepEqual(chosen.spec?.claimRef, {
		...{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: 'n', name: 'c', uid: 'cu', resourceVersion: '7' },
	});
	t.is(chosen.metadata.annotations?.[BOUND_BY_CONTROLLER], 'yes');
	t.is(boundVolume(chosen, claim()), chosen);
	t.is(unboundVolume(chosen).spec?.claimRef, undefined);
	t.is(unboundVolume(chosen).metadata.annotations, undefined);
	const named = boundVolume(volume('a', '5Gi', bound()), claim());
	t.is(named.metadata.annotations, undefined);
	t.is(named.spec?.claimRef?.uid, 'cu');
	t.like(unboundVolume(named).spec?.claimRef, { name: 'c', uid: undefined });
	t.deepEqual(boundClaim(claim(), chosen).metadata.annotations, { [BOUND_BY_CONTROLLER]: 'yes', [BIND_COMPLETED]: 'yes' });
	t.deepEqual(boundClaim(claim({ volumeName: 'a' }), chosen).metadata.annotations, { [BIND_COMPLETED]: 'yes' });
	const done = boundClaim(claim(), chosen);
	t.is(boundClaim(done, chosen), done);
});

test('classes: the annotation of before wins, "" is a choice, the newest default counts', (t) => {
	const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' };
	t.is(classOfClaim(claim({}, { annotations })), 'old');
	t.true(hasClass(claim({ storageClassName: '' })));
	t.false(hasClass(claim({ storageClassName: undefined })));
	const marked = (name: string, creationTimestamp: string) => ({
		metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
		provisioner: 'p',
	});
	t.is(defaultClass([marked('a', '2026-01-01T00:00:00Z'), marked('b', '2026-01-02T00:00:00Z')])?.metadata.name, 'b');
});

test('claims of a pod: those it names and those made for it', (t) => {
	const volumes = [
		{ name: 'a', persistentVolumeClaim: { claimName: 'x' } },
		{ name: 'b', ephemeral: {} },
		{ name: 'c', emptyDir: {} },
	];
	const pod: Pod = { metadata: { namespace: 'n', name: 'p' }, spec: { containers: [], volumes } };
	t.deepEqual(claimKeysOf(pod), ['n/x', 'n/p-b']);
});
