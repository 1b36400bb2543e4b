/** What the provisioner is told, by upstream's flags. */
import type { CSINode, Node, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from '../../../api/gen/types.ts';
import type { Lister } from '../../../client/cache.ts';
import type { RoleDeps } from '../role.ts';

export interface ProvisionerOptions {
	/** --volume-name-prefix */
	readonly volumeNamePrefix: string;
	/** --default-fstype */
	readonly defaultFsType: string;
	/** --strict-topology */
	readonly strictTopology: boolean;
	/** --immediate-topology */
	readonly immediateTopology: boolean;
	/** --extra-create-metadata */
	readonly extraCreateMetadata: boolean;
	/** --controller-publish-readonly */
	readonly publishReadOnly: boolean;
	/** --enable-capacity: the namespace of the objects; undefined: none are made. */
	readonly capacityNamespace?: string | undefined;
	/** --capacity-poll-interval */
	readonly capacityPollMs: number;
	/** --capacity-for-immediate-binding */
	readonly capacityForImmediate: boolean;
}

export const PROVISIONER_DEFAULTS: ProvisionerOptions = {
	volumeNamePrefix: 'pvc',
	defaultFsType: '',
	strictTopology: false,
	immediateTopology: true,
	extraCreateMetadata: false,
	publishReadOnly: false,
	capacityPollMs: 60_000,
	capacityForImmediate: false,
};

export interface Listers {
	readonly claims: Lister<PersistentVolumeClaim>;
	readonly volumes: Lister<PersistentVolume>;
	readonly classes: Lister<StorageClass>;
	readonly nodes: Lister<Node>;
	readonly csiNodes: Lister<CSINode>;
	readonly attachments: Lister<VolumeAttachment>;
}

export interface Provisioning extends RoleDeps {
	readonly options: ProvisionerOptions;
	readonly listers: Listers;
}

/** Those that only provisioners know; the others are in api/storage. */
export const ANNOTATION = {
	migratedTo: 'pv.kubernetes.io/migrated-to',
	deletionSecretName: 'volume.kubernetes.io/provisioner-deletion-secret-name',
	deletionSecretNamespace: 'volume.kubernetes.io/provisioner-deletion-secret-namespace',
	modifySecretName: 'volume.kubernetes.io/controller-modify-secret-name',
	modifySecretNamespace: 'volume.kubernetes.io/controller-modify-secret-namespace',
} as const;

export const VOLUME_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
export const CLONE_FINALIZER = 'provisioner.storage.kubernetes.io/cloning-protection';
