/** PersistentVolumes: capacity, access, and one source with what it needs. */
import { fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type { PersistentVolume, VolumeNodeAffinity } from '../../gen/types.ts';
import { parseQuantity } from '../../quantity.ts';
import { asSent } from '../../sent-empty.ts';
import { dnsSubdomain } from '../names.ts';
import { CLUSTER_SCOPED, objectMeta } from '../metadata.ts';
import { oneOf, present, texts, type Errors } from '../rule.ts';
import { noBacksteps } from '../paths.ts';
import { nodeSelector } from '../selectors.ts';
import { accessModes, positive } from './claim-spec.ts';
import { csiDriver, iscsiVolume, onlySource, PLUGINS, type PluginRule } from './volume-plugins.ts';

export function persistentVolume(out: Errors, object: PersistentVolume): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	const { spec = {} } = object;
	const at = 'spec';
	if (present(out, `${at}.accessModes`, spec.accessModes)) accessModes(out, `${at}.accessModes`, spec.accessModes ?? []);
	const { capacity } = spec;
	const names = Object.keys(capacity ?? {});
	if (names.length === 0) out.push(required(`${at}.capacity`));
	if (capacity?.['storage'] === undefined || names.length > 1)
		out.push(notSupported(`${at}.capacity`, asSent(spec, 'capacity') ?? null, ['storage']));
	for (const [name, value] of Object.entries(capacity ?? {})) {
		const path = `${at}.capacity[${name}]`;
		const { nano } = parseQuantity(value);
		if (nano < 0n) out.push(invalidValue(path, Number(nano / 1_000_000_000n), 'must be a valid resource quantity'));
		positive(out, path, value);
	}
	oneOf(out, `${at}.persistentVolumeReclaimPolicy`, spec.persistentVolumeReclaimPolicy, ['Delete', 'Recycle', 'Retain']);
	volumeNodeAffinity(out, `${at}.nodeAffinity`, spec.nodeAffinity);
	onlySource(out, at, spec as Readonly<Record<string, unknown>>, SOURCES, rulesFor(spec), OTHER_PATHS, 'flexVolume');
	if (spec.hostPath?.path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle')
		out.push(fieldForbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"));
	const { storageClassName = '', volumeAttributesClassName } = spec;
	if (storageClassName !== '') texts(out, `${at}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
	oneOf(out, `${at}.volumeMode`, spec.volumeMode, ['Block', 'Filesystem']);
	if (volumeAttributesClassName !== undefined) {
		if (volumeAttributesClassName === '') out.push(required(`${at}.volumeAttributesClassName`, 'an empty string is disallowed'));
		else texts(out, `${at}.volumeAttributesClassName`, volumeAttributesClassName, dnsSubdomain(volumeAttributesClassName));
		if (spec.csi === undefined) out.push(required(`${at}.csi`, 'has to be specified when using volumeAttributesClassName'));
	}
}

function volumeNodeAffinity(out: Errors, at: string, affinity: VolumeNodeAffinity | undefined): void {
	if (affinity === undefined) return;
	if (affinity.required === undefined) {
		out.push(required(`${at}.required`, 'must specify required node constraints'));
		return;
	}
	nodeSelector(out, `${at}.required`, affinity.required);
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

const rulesFor = (spec: NonNullable<PersistentVolume['spec']>): Readonly<Record<string, PluginRule>> => ({
	...RULES,
	local(out, path, { path: given }) {
		if (present(out, `${path}.path`, given)) noBacksteps(out, `${path}.path`, given as string);
		if (spec.nodeAffinity === undefined) out.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
	},
});

const RULES: Readonly<Record<string, PluginRule>> = {
	...PLUGINS,
	iscsi(out, path, source) {
		iscsiVolume(out, path, source, 'must be valid format');
		const ref = source['secretRef'] as { name?: string } | undefined;
		if (ref !== undefined) present(out, `${path}.secretRef.name`, ref.name);
	},
	csi(out, path, source) {
		csiDriver(out, `${path}.driver`, (source['driver'] as string | undefined) ?? '');
		present(out, `${path}.volumeHandle`, source['volumeHandle']);
		for (const key of SECRETS) {
			const ref = source[key] as { name?: string; namespace?: string } | undefined;
			if (ref === undefined) continue;
			present(out, `${path}.${key}.name`, ref.name);
			present(out, `${path}.${key}.namespace`, ref.namespace);
		}
	},
};
