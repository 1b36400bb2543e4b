/** PersistentVolumes: capacity, access, and one source with what it needs. */
import { posix } from 'node:path';
import { fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type { PersistentVolume, VolumeNodeAffinity } from '../../gen/types.ts';
import { ceilUnits } from '../../quantity.ts';
import { asSent } from '../../sent-empty.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { CLUSTER_SCOPED, objectMeta } from '../metadata.ts';
import { oneOf, present, texts, type Errors } from '../rule.ts';
import { noBacksteps } from '../paths.ts';
import { nodeSelector, type Values } from '../selectors.ts';
import { accessModes, positive } from './claim-spec.ts';
import { csiDriver, iscsiVolume, onlySource, PLUGINS, type PluginRule } from './volume-plugins.ts';

/** @param nodeValues how values of its node affinity are judged */
export function persistentVolume(out: Errors, object: PersistentVolume, nodeValues: Values = 'checked'): void {
	volume(out, object, nodeValues);
	mountOptions(out, object);
}

/** Without what is asked of plugins only. */
export function volume(out: Errors, { metadata, spec = {} }: PersistentVolume, nodeValues: Values): void {
	objectMeta(out, metadata, CLUSTER_SCOPED);
	volumeSpec(out, 'spec', spec, metadata.name ?? '', nodeValues);
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** Those that take them by the annotation. */
const WITH_OPTIONS = [
	...['gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'nfs', 'rbd', 'quobyte', 'iscsi', 'cinder', 'cephfs'],
	...['azureFile', 'vsphereVolume', 'azureDisk', 'photonPersistentDisk'],
] as readonly (keyof Spec)[];

export function mountOptions(out: Errors, { metadata, spec }: PersistentVolume): void {
	if (metadata.annotations?.[MOUNT_OPTIONS] === undefined || WITH_OPTIONS.some((key) => spec?.[key] !== undefined)) return;
	out.push(fieldForbidden(`metadata.annotations.${MOUNT_OPTIONS}`, 'may not specify mount options for this volume type'));
}

type Spec = NonNullable<PersistentVolume['spec']>;
const INLINE = 'in the context of inline volumes';

/** @param name of the volume; undefined where the spec is that of a volume inside a pod, which may say less */
export function volumeSpec(out: Errors, at: string, spec: Spec, name?: string, nodeValues: Values = 'checked'): void {
	const isInline = name === undefined;
	const notInline = (key: keyof Spec, isGiven: boolean): void => {
		if (isInline && isGiven) out.push(fieldForbidden(`${at}.${key}`, `may not be specified ${INLINE}`));
	};
	notInline('claimRef', spec.claimRef !== undefined);
	notInline('capacity', Object.keys(spec.capacity ?? {}).length > 0);
	if (isInline && spec.csi === undefined) out.push(required(`${at}.csi`, `has to be specified ${INLINE}`));
	present(out, `${at}.accessModes`, spec.accessModes);
	accessModes(out, `${at}.accessModes`, spec.accessModes ?? []);
	if (!isInline) capacities(out, at, spec);
	const { storageClassName = '', volumeMode, volumeAttributesClassName, persistentVolumeReclaimPolicy: policy = '' } = spec;
	if (!isInline) {
		if (policy !== '') oneOf(out, `${at}.persistentVolumeReclaimPolicy`, policy, ['Delete', 'Recycle', 'Retain']);
	} else if (policy !== '' && policy !== 'Retain')
		out.push(fieldForbidden(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${INLINE}`));
	notInline('nodeAffinity', spec.nodeAffinity !== undefined);
	if (!isInline) volumeNodeAffinity(out, `${at}.nodeAffinity`, spec.nodeAffinity, nodeValues);
	onlySource(out, at, spec as Readonly<Record<string, unknown>>, SOURCES, rulesFor(spec, at, name ?? ''), OTHER_PATHS, 'flexVolume');
	if (posix.normalize(spec.hostPath?.path ?? '') === '/' && policy === 'Recycle')
		out.push(fieldForbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"));
	notInline('storageClassName', storageClassName !== '');
	if (!isInline && storageClassName !== '') texts(out, `${at}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
	if (!isInline) oneOf(out, `${at}.volumeMode`, volumeMode, ['Block', 'Filesystem']);
	else if (volumeMode !== undefined && volumeMode !== 'Filesystem')
		out.push(fieldForbidden(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${INLINE}`));
	if (!isInline && volumeAttributesClassName !== undefined) {
		if (volumeAttributesClassName === '') out.push(required(`${at}.volumeAttributesClassName`, 'an empty string is disallowed'));
		else texts(out, `${at}.volumeAttributesClassName`, volumeAttributesClassName, dnsSubdomain(volumeAttributesClassName));
		if (spec.csi === undefined) out.push(required(`${at}.csi`, 'has to be specified when using volumeAttributesClassName'));
	}
}

function capacities(out: Errors, at: string, spec: Spec): void {
	const { capacity } = spec;
	const names = Object.keys(capacity ?? {});
	if (names.length === 0) out.push(required(`${at}.capacity`));
	if (capacity?.['storage'] === undefined || names.length > 1)
		out.push(notSupported(`${at}.capacity`, asSent(spec, 'capacity') ?? null, ['storage']));
	for (const [name, value] of Object.entries(capacity ?? {})) {
		const path = `${at}.capacity[${name}]`;
		if (ceilUnits(value) < 0) out.push(invalidValue(path, ceilUnits(value), 'must be a valid resource quantity'));
		positive(out, path, value);
	}
}

function volumeNodeAffinity(out: Errors, at: string, affinity: VolumeNodeAffinity | undefined, values: Values): void {
	if (affinity === undefined) return;
	if (affinity.required === undefined) {
		out.push(required(`${at}.required`, 'must specify required node constraints'));
		return;
	}
	nodeSelector(out, `${at}.required`, affinity.required, values);
}

/** In upstream's order. */
const SOURCES = [
	'hostPath',
	'gcePersistentDisk',
	'awsElasticBlockStore',
	'glusterfs',
	'flocker',
	'nfs',
	'rbd',
	'quobyte',
	'cephfs',
	'iscsi',
	'cinder',
	'fc',
	'flexVolume',
	'azureFile',
	'vsphereVolume',
	'photonPersistentDisk',
	'portworxVolume',
	'azureDisk',
	'scaleIO',
	'local',
	'storageos',
	'csi',
];
const OTHER_PATHS = { cephfs: 'cephFS' };
const SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const;

const rulesFor = (spec: Spec, at: string, name: string): Readonly<Record<string, PluginRule>> => ({
	...RULES,
	iscsi: (out, path, source) => iscsiVolume(out, path, source, name),
	local(out, path, { path: given }) {
		if (present(out, `${path}.path`, given)) noBacksteps(out, `${path}.path`, given as string);
		if (spec.nodeAffinity === undefined) out.push(required(`${at}.nodeAffinity`, 'Local volume requires node affinity'));
	},
});

/** Their secret may be in any namespace, and says in which. */
function withNamespace(plugin: string): PluginRule {
	return (out, path, source) => {
		PLUGINS[plugin]?.(out, path, source);
		const ref = source['secretRef'] as { namespace?: string } | undefined;
		if (ref !== undefined) present(out, `${path}.secretRef.namespace`, ref.namespace);
	};
}

const RULES: Readonly<Record<string, PluginRule>> = {
	...PLUGINS,
	glusterfs(out, path, source) {
		PLUGINS['glusterfs']?.(out, path, source);
		const { endpointsNamespace: namespace } = source as { endpointsNamespace?: string };
		const at = `${path}.endpointsNamespace`;
		if (namespace === '') out.push(invalidValue(at, '', 'if the endpointnamespace is set, it must be a valid namespace name'));
		else if (namespace !== undefined) texts(out, at, namespace, dnsLabel(namespace));
	},
	cinder: withNamespace('cinder'),
	storageos: withNamespace('storageos'),
	azureFile(out, path, source) {
		PLUGINS['azureFile']?.(out, path, source);
		if (source['secretNamespace'] !== undefined) present(out, `${path}.secretNamespace`, source['secretNamespace']);
	},
	csi(out, path, source) {
		csiDriver(out, `${path}.driver`, (source['driver'] as string | undefined) ?? '');
		present(out, `${path}.volumeHandle`, source['volumeHandle']);
		for (const key of SECRETS) {
			const ref = source[key] as { name?: string; namespace?: string } | undefined;
			if (ref === undefined) continue;
			const { name = '', namespace = '' } = ref;
			if (present(out, `${path}.${key}.name`, name)) texts(out, `${path}.${key}.name`, name, dnsSubdomain(name));
			if (present(out, `${path}.${key}.namespace`, namespace)) texts(out, `${path}.${key}.namespace`, namespace, dnsLabel(namespace));
		}
	},
};
