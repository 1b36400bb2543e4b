import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate, validateUpdate } from '../validation.ts';

const shown = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(({ field, message }) => `${field}: ${message.replace(/: a lowercase RFC.*/, '').split('\n')[0]}`);

const SPEC = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
const volume = (spec: object, annotations: object = {}): KubeObject =>
	({ metadata: { name: 'v', annotations }, spec: { ...SPEC, ...spec } }) as unknown as KubeObject;
const ISCSI = { targetPortal: 'p', iqn: 'iqn.2026-01.io:a', lun: 0 };
const TOO_LONG = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

for (const [rule, spec, want] of [
	[
		'secrets of CSI have names that secrets can have',
		{ csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 'A', namespace: 'a.b' } } },
		[
			'spec.csi.nodePublishSecretRef.name: Invalid value: "A"',
			'spec.csi.nodePublishSecretRef.namespace: Invalid value: "a.b": must not contain dots',
		],
	],
	[
		'secrets of other plugins say their namespace',
		{ cinder: { volumeID: 'v', secretRef: { name: 's' } } },
		['spec.cinder.secretRef.namespace: Required value'],
	],
	[
		'so do those of StorageOS',
		{ storageos: { volumeName: 'v', secretRef: { name: 's' } } },
		['spec.storageos.secretRef.namespace: Required value'],
	],
	[
		'a namespace of an Azure file is none that is empty',
		{ azureFile: { secretName: 's', shareName: 's', secretNamespace: '' } },
		['spec.azureFile.secretNamespace: Required value'],
	],
	[
		'nor one of Glusterfs',
		{ glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
		['spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name'],
	],
	['a portal and its volume have room for both names', { iscsi: { ...ISCSI, initiatorName: 'iqn.2026-01.io:b' } }, []],
	[
		'or are told to be too long',
		{ iscsi: { ...ISCSI, targetPortal: 'p'.repeat(63), secretRef: { name: '' }, initiatorName: 'x' } },
		[
			`spec.iscsi.targetportal: Invalid value: "${'p'.repeat(63)}": ${TOO_LONG}`,
			'spec.iscsi.secretRef.name: Required value',
			'spec.iscsi.initiatorname: Invalid value: "x": must be valid format',
		],
	],
	...['iqn.2026-01.io:a', 'iqn.2026-01.a_b.io:x', 'iqn.2026-01.io', 'eui.ABCDEFGHIJKLMNOP', 'naa.1'].map(
		(iqn, i) =>
			[
				`a name of iSCSI: ${iqn}`,
				{ iscsi: { ...ISCSI, iqn } },
				i === 0 || i === 3 ? [] : [`spec.iscsi.iqn: Invalid value: "${iqn}": must be valid format`],
			] as const,
	),
	[
		'a disk of Azure is found below "/subscriptions/", as written',
		{ azureDisk: { diskName: 'd', diskURI: '/Subscriptions/x', kind: 'Managed' } },
		[
			'spec.azureDisk.diskURI: Unsupported value: "/Subscriptions/x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
		],
	],
	[
		'each registry of Quobyte that is none is told',
		{ quobyte: { registry: 'a,b:1,c', volume: 'v' } },
		Array<string>(2).fill(
			'spec.quobyte.registry: Invalid value: "a,b:1,c": must be a host:port pair or multiple pairs separated by commas',
		),
	],
	[
		'a mode that is none is not another one',
		{ accessModes: ['ReadWriteOncePod', 'x'], hostPath: { path: '/a' } },
		['spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'],
	],
	[
		'the root of a host is not emptied, however it is written',
		{ hostPath: { path: '//./' }, persistentVolumeReclaimPolicy: 'Recycle' },
		["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
	],
] as const)
	test(`volumes: ${rule}`, (t) => t.deepEqual(shown(validateCreate('', 'v1', 'PersistentVolume', volume(spec), false)), [...want]));

test('volumes: options of mounts are for plugins that have them', (t) => {
	const options = { 'volume.beta.kubernetes.io/mount-options': 'ro' };
	const why = 'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type';
	t.deepEqual(shown(validateCreate('', 'v1', 'PersistentVolume', volume({ hostPath: { path: '/a' } }, options), false)), [why]);
	t.deepEqual(shown(validateCreate('', 'v1', 'PersistentVolume', volume({ nfs: { server: 's', path: '/a' } }, options), false)), []);
});

const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const CLASS = 'volume.beta.kubernetes.io/storage-class';
const claim = (spec: object, annotations: object = {}): KubeObject =>
	({ metadata: { name: 'c', namespace: 'n', annotations }, spec: { ...CLAIM, ...spec } }) as unknown as KubeObject;
const FIXED = 'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const source = (apiGroup: string): object => ({
	dataSource: { apiGroup, kind: 'K', name: 'a' },
	dataSourceRef: { apiGroup, kind: 'K', name: 'a' },
});

for (const [rule, before, after, want] of [
	['a class may be chosen where none was', claim({}), claim({ storageClassName: 'a' }), []],
	['not where none was wanted', claim({ storageClassName: '' }), claim({ storageClassName: 'a' }), [FIXED]],
	['an annotation may become the field', claim({}, { [CLASS]: 'a' }), claim({ storageClassName: 'a' }), []],
	['of the same class', claim({}, { [CLASS]: 'a' }), claim({ storageClassName: 'b' }, { [CLASS]: 'a' }), [FIXED]],
	[
		'and stays otherwise',
		claim({}, { [CLASS]: 'a' }),
		claim({}, { [CLASS]: 'b' }),
		[`metadata.annotations.${CLASS}: Invalid value: "b": field is immutable`],
	],
	['a group of a source is not looked at again', claim(source('A')), claim(source('A')), []],
] as const)
	test(`claims: ${rule}`, (t) => t.deepEqual(shown(validateUpdate('', 'v1', 'PersistentVolumeClaim', after, before, true)), [...want]));

for (const [rule, spec, want] of [
	[
		'what is selected comes before the modes',
		{ accessModes: ['x'], selector: { matchLabels: { 'a b': '' } } },
		['spec.selector.matchLabels: Invalid value: "a b"', 'spec.accessModes: Unsupported value: "x"'],
	],
	[
		'a source in another namespace has one name only',
		{
			dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
			dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'a', namespace: 'n' },
		},
		['spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified'],
	],
] as const)
	test(`claims: ${rule}`, (t) =>
		t.deepEqual(
			shown(validateCreate('', 'v1', 'PersistentVolumeClaim', claim(spec), true)).map((line) =>
				line.replace(/: (name part|supported).*/, ''),
			),
			[...want],
		));

const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const pod = (volumes: readonly object[]): KubeObject =>
	({
		metadata: { name: 'p', namespace: 'n' },
		spec: { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', serviceAccountName: 'd', volumes },
	}) as unknown as KubeObject;
const ephemeral = { volumeClaimTemplate: { spec: CLAIM } };
const projected = { sources: [{ secret: { name: '' }, configMap: { name: '' }, downwardAPI: {} }] };

for (const [rule, volumes, want] of [
	[
		'a claim that is made for another volume is not used',
		[
			{ name: 'a', ephemeral },
			{ name: 'b', persistentVolumeClaim: { claimName: 'p-a' } },
		],
		[
			'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-a": must not reference a PVC that gets created for an ephemeral volume',
		],
	],
	[
		'all sources of a projection are looked at, and told to be too many last',
		[{ name: 'a', projected }],
		[
			'spec.volumes[0].projected.sources[0].secret.name: Required value',
			'spec.volumes[0].projected.sources[0].configMap.name: Required value',
			'spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
		],
	],
	['a folder of a repository may begin with dots', [{ name: 'a', gitRepo: { repository: 'r', directory: '..a' } }], []],
	[
		'a portal and its volume are not too long',
		[{ name: 'a', iscsi: { ...ISCSI, targetPortal: 'p'.repeat(63), initiatorName: 'iqn.2026-01.io:b' } }],
		[`spec.volumes[0].name: Invalid value: "a": ${TOO_LONG}`],
	],
] as const)
	test(`volumes of pods: ${rule}`, (t) => t.deepEqual(shown(validateCreate('', 'v1', 'Pod', pod(volumes), true)), [...want]));

test('volumes of pods: a claim that is to be made has a name that claims can have', (t) => {
	const name = 'p'.repeat(253);
	const given = { ...pod([{ name: 'a', ephemeral }]), metadata: { name, namespace: 'n' } };
	const why = `spec.volumes[0].name: Invalid value: "a": PVC name "${name}-a": must be no more than 253 characters`;
	t.deepEqual(shown(validateCreate('', 'v1', 'Pod', given, true)), [why]);
});

test('attachments: a volume inside is one of CSI that is its own', (t) => {
	const source = {
		inlineVolumeSpec: {
			hostPath: { path: '/a' },
			capacity: { storage: '1' },
			persistentVolumeReclaimPolicy: 'Delete',
			storageClassName: 'a',
		},
	};
	const status = { attachmentMetadata: { a: 'x'.repeat(256 * 1024) }, attached: true };
	const object = { metadata: { name: 'a' }, spec: { attacher: 'd', nodeName: 'n', source }, status } as unknown as KubeObject;
	const at = 'spec.source.inlineVolumeSpec';
	const inline = 'in the context of inline volumes';
	t.deepEqual(shown(validateCreate('storage.k8s.io', 'v1', 'VolumeAttachment', object, false)), [
		`${at}.capacity: Forbidden: may not be specified ${inline}`,
		`${at}.csi: Required value: has to be specified ${inline}`,
		`${at}.accessModes: Required value`,
		`${at}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain ${inline}`,
		`${at}.storageClassName: Forbidden: may not be specified ${inline}`,
		'status.attachmentMetadata: Too long: may not be more than 262144 bytes',
	]);
});

const chosen = (selector: object): KubeObject =>
	({
		metadata: { name: 'c', namespace: 'n', uid: 'u', resourceVersion: '1' },
		spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, selector },
		status: { phase: 'Pending' },
	}) as unknown as KubeObject;
const valued = chosen({ matchExpressions: [{ key: 'k', operator: 'In', values: ['-'] }] });

for (const [rule, now, before, want] of [
	['values that no label has are refused', valued, undefined, ['spec.selector.matchExpressions[0].values[0]']],
	['also where they are new', valued, chosen({}), ['spec.selector.matchExpressions[0].values[0]', 'spec']],
	['but stay where they were', valued, valued, []],
	['or where anything was wrong', valued, chosen({ matchLabels: { a: '-' } }), ['spec']],
	['labels are looked at all the same', chosen({ matchLabels: { a: '-' } }), valued, ['spec.selector.matchLabels', 'spec']],
] as const)
	test(`claims' selectors: ${rule}`, (t) => {
		const errors =
			before === undefined
				? validateCreate('', 'v1', 'PersistentVolumeClaim', now, true)
				: validateUpdate('', 'v1', 'PersistentVolumeClaim', now, before, true);
		t.deepEqual(
			errors.map(({ field }) => field),
			[...want],
		);
	});
