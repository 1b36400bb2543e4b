import test from 'ava';
import { sameOfKind, sameTyped } from './same-typed.ts';

const claim = (storage: unknown, more: object = {}): object => ({ resources: { requests: { storage } }, ...more });
for (const [rule, type, a, b, want] of [
	['an amount in another form', 'core/v1.PersistentVolumeClaimSpec', claim('1Gi'), claim('1073741824'), true],
	['an amount by its exponent', 'core/v1.PersistentVolumeClaimSpec', claim('1k'), claim('1e3'), true],
	['another amount', 'core/v1.PersistentVolumeClaimSpec', claim('1Gi'), claim('1G'), false],
	[
		'a name that looks like one',
		'core/v1.PersistentVolumeClaimSpec',
		claim('1', { volumeName: '1k' }),
		claim('1', { volumeName: '1e3' }),
		false,
	],
	['an amount that goes', 'core/v1.PersistentVolumeClaimSpec', claim('0'), { resources: { requests: {} } }, false],
	['an amount that is nothing', 'core/v1.ResourceFieldSelector', { resource: 'a', divisor: '0' }, { resource: 'a' }, true],
	['an amount that is not there', 'core/v1.EmptyDirVolumeSource', { sizeLimit: '0' }, {}, false],
	['an empty list', 'core/v1.PersistentVolumeClaimSpec', { accessModes: [] }, {}, true],
	['an empty map', 'core/v1.PodSpec', { nodeSelector: {}, containers: [] }, { containers: [] }, true],
	['an empty struct', 'core/v1.PersistentVolumeClaimSpec', { resources: {} }, {}, true],
	['an empty struct behind a pointer', 'core/v1.PersistentVolumeClaimSpec', { selector: {} }, {}, false],
	['an empty text', 'core/v1.PersistentVolumeClaimSpec', { volumeName: '' }, {}, true],
	['an empty text behind a pointer', 'core/v1.PersistentVolumeClaimSpec', { storageClassName: '' }, {}, false],
	['null', 'core/v1.PersistentVolumeClaimSpec', { selector: null }, {}, true],
	['the order of elements', 'core/v1.PersistentVolumeClaimSpec', { accessModes: ['a', 'b'] }, { accessModes: ['b', 'a'] }, false],
	[
		'the order of members',
		'core/v1.PersistentVolumeClaimSpec',
		{ volumeName: 'a', volumeMode: 'b' },
		{ volumeMode: 'b', volumeName: 'a' },
		true,
	],
	['a key that objects inherit', 'core/v1.PodSpec', { nodeSelector: { constructor: 'a' } }, { nodeSelector: { b: 'a' } }, false],
	['what the type does not know', 'core/v1.PodSpec', { x: 1 }, { x: 2 }, false],
	['raw JSON', 'resource/v1.OpaqueDeviceConfiguration', { parameters: { a: '1k' } }, { parameters: { a: '1e3' } }, false],
	['raw JSON with more of nothing', 'resource/v1.OpaqueDeviceConfiguration', { parameters: { a: null } }, { parameters: {} }, false],
	[
		'raw JSON in another order',
		'resource/v1.OpaqueDeviceConfiguration',
		{ parameters: { a: 1, b: 2 } },
		{ parameters: { b: 2, a: 1 } },
		false,
	],
	['a number or a text', 'apps/v1.RollingUpdateDeployment', { maxSurge: 1 }, { maxSurge: '1' }, false],
] as const)
	test(`${rule} ${want ? 'says the same' : 'says something else'}`, (t) => {
		t.is(sameTyped(type, a, b), want);
		t.is(sameTyped(type, b, a), want);
	});

test('whole objects are compared by their kind, others as they are', (t) => {
	const spec = (storage: string): object => ({ spec: claim(storage) });
	t.true(sameOfKind({ group: '', version: 'v1', kind: 'PersistentVolumeClaim' }, spec('1Gi'), spec('1073741824')));
	t.false(sameOfKind({ group: 'a.b', version: 'v1', kind: 'C' }, spec('1Gi'), spec('1073741824')));
});
