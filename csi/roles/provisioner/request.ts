/** From a claim and its class to a CreateVolumeRequest and what its PersistentVolume will say (external-provisioner's prepareProvision). */
import type { CSIPersistentVolumeSource, PersistentVolumeClaim, SecretReference, StorageClass } from '../../../api/gen/types.ts';
import { ceilUnits } from '../../../api/quantity.ts';
import { PERSISTENT_VOLUME_CLAIMS, VOLUME_ATTRIBUTES_CLASSES } from '../../../api/resources.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import {
	ControllerServiceCapability_RPC_Type as Rpc,
	PluginCapability_Service_Type as Service,
	type CreateVolumeRequest,
} from '../../proto.ts';
import { addFinalizer } from '../finalizers.ts';
import { credentials, secretReference, type SecretParameters, type Tokens } from '../secrets.ts';
import { VOLUME_SNAPSHOTS } from '../snapshot-kinds.ts';
import { accessMode, capabilityOf } from '../volume-capability.ts';
import { claimSource, dataSourceOf, SNAPSHOT_SOURCE_FINALIZER, snapshotSource, type DataSource } from './content-source.ts';
import { CLONE_FINALIZER, type Provisioning } from './options.ts';
import { CALL_SECRETS, driverParameters, fsTypeOf } from './parameters.ts';
import { ProvisionError } from './provision-error.ts';
import { accessibility } from './topology.ts';

export interface Prepared {
	readonly request: CreateVolumeRequest;
	readonly fsType: string;
	/** The volume's source, without what only the driver knows. */
	readonly source: Omit<CSIPersistentVolumeSource, 'volumeHandle'>;
	readonly deletionSecret: SecretReference | undefined;
	readonly modifySecret: SecretReference | undefined;
	readonly dataSource: DataSource | undefined;
}

/** Throws a ProvisionError that says whether an earlier call may still be under way. */
export async function prepare(
	provisioning: Provisioning,
	claim: PersistentVolumeClaim,
	storageClass: StorageClass,
	selectedNode: string,
	signal: AbortSignal,
): Promise<Prepared> {
	const { client, driver, options, listers } = provisioning;
	const { parameters = {}, mountOptions = [] } = storageClass;
	const first = finished(() => {
		const dataSource = dataSourceOf(claim);
		if (dataSource?.type === 'populator') return { dataSource };
		requireAbilities(provisioning, claim, dataSource);
		if (claim.spec?.selector !== undefined) throw new AppError('InvalidArgument', 'claim Selector is not supported');
		const fsType = fsTypeOf(parameters, options.defaultFsType);
		const multiWriter = driver.controllerRpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER);
		const block = claim.spec?.volumeMode === 'Block';
		const volumeCapabilities = (claim.spec?.accessModes ?? []).map((mode) =>
			capabilityOf({ block, fsType, mountFlags: mountOptions, mode: accessMode([mode], multiWriter) }),
		);
		return { dataSource, fsType, volumeCapabilities, told: driverParameters(parameters) };
	});
	const { dataSource, fsType, volumeCapabilities, told } = first;
	if (fsType === undefined)
		throw new ProvisionError(
			'ignored',
			new AppError('FailedPrecondition', `data source (${dataSource?.kind}) is not handled by the provisioner`),
		);
	const name = volumeName(options.volumeNamePrefix, claim);
	try {
		const asked = { claim, storageClass, client, claims: listers.claims };
		const volumeContentSource = dataSource === undefined ? undefined : await contentSource(asked, dataSource);
		if (dataSource !== undefined) await protect(provisioning, claim, dataSource, signal);
		const accessibilityRequirements = driver.services.has(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS)
			? required(provisioning, claim, storageClass, selectedNode)
			: undefined;
		const tokens = tokensOf(claim, name);
		const reference = (call: SecretParameters): SecretReference | undefined => secretReference(call, parameters, tokens);
		const provisionerSecret = reference(CALL_SECRETS.provisioner);
		const request: CreateVolumeRequest = {
			name,
			capacityRange: { requiredBytes: BigInt(ceilUnits(claim.spec?.resources?.requests?.['storage'])), limitBytes: 0n },
			volumeCapabilities,
			parameters: {
				...told,
				...(options.extraCreateMetadata
					? {
							'csi.storage.k8s.io/pvc/name': claim.metadata.name ?? '',
							'csi.storage.k8s.io/pvc/namespace': claim.metadata.namespace ?? '',
							'csi.storage.k8s.io/pv/name': name,
						}
					: {}),
			},
			secrets: await credentials(client, provisionerSecret, signal),
			volumeContentSource,
			accessibilityRequirements,
			mutableParameters: await mutableParameters(provisioning, claim, signal),
		};
		return {
			...{ request, fsType, dataSource },
			source: {
				driver: driver.name,
				controllerPublishSecretRef: reference(CALL_SECRETS.controllerPublish),
				nodeStageSecretRef: reference(CALL_SECRETS.nodeStage),
				nodePublishSecretRef: reference(CALL_SECRETS.nodePublish),
				controllerExpandSecretRef: reference(CALL_SECRETS.controllerExpand),
				nodeExpandSecretRef: reference(CALL_SECRETS.nodeExpand),
			},
			deletionSecret: provisionerSecret,
			modifySecret: reference(CALL_SECRETS.controllerModify),
		};
	} catch (error) {
		throw error instanceof ProvisionError ? error : new ProvisionError('noChange', error);
	}
}

function finished<T>(work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw new ProvisionError('finished', error);
	}
}

/** The same for every try: a repeated CreateVolume finds what an earlier one made. */
export function volumeName(prefix: string, claim: PersistentVolumeClaim): string {
	return `${prefix}-${claim.metadata.uid}`;
}

function requireAbilities({ driver }: Provisioning, claim: PersistentVolumeClaim, dataSource: DataSource | undefined): void {
	const need = (has: boolean, what: string): void => {
		if (!has) throw new AppError('FailedPrecondition', `CSI driver does not support ${what} capability is not reported`);
	};
	const { services, controllerRpcs: rpcs } = driver;
	need(services.has(Service.CONTROLLER_SERVICE), 'dynamic provisioning: plugin CONTROLLER_SERVICE');
	need(rpcs.has(Rpc.CREATE_DELETE_VOLUME), 'dynamic provisioning: controller CREATE_DELETE_VOLUME');
	if (dataSource?.type === 'snapshot') need(rpcs.has(Rpc.CREATE_DELETE_SNAPSHOT), 'snapshot restore: controller CREATE_DELETE_SNAPSHOT');
	if (dataSource?.type === 'claim') need(rpcs.has(Rpc.CLONE_VOLUME), 'clone operations: controller CLONE_VOLUME');
	if ((claim.spec?.volumeAttributesClassName ?? '') !== '')
		need(rpcs.has(Rpc.MODIFY_VOLUME), 'VolumeAttributesClass: controller MODIFY_VOLUME');
}

type AskedSource = Parameters<typeof claimSource>[0];

async function contentSource(asked: AskedSource, { type, kind, name }: DataSource): ReturnType<typeof claimSource> {
	try {
		return await (type === 'snapshot' ? snapshotSource(asked, name) : claimSource(asked, name));
	} catch (cause) {
		throw new AppError(codeOf(cause), `error getting handle for DataSource Type ${kind} by Name ${name}: ${messageOf(cause)}`, { cause });
	}
}

/** What is copied stays until the copy is made. */
async function protect(
	{ client, listers }: Provisioning,
	claim: PersistentVolumeClaim,
	{ type, name }: DataSource,
	signal: AbortSignal,
): Promise<void> {
	const key = `${claim.metadata.namespace}/${name}`;
	if (type === 'claim') {
		const source = listers.claims.get(key);
		if (source !== undefined) await addFinalizer(client, PERSISTENT_VOLUME_CLAIMS, source, CLONE_FINALIZER, signal);
		return;
	}
	const snapshot = await client.get(VOLUME_SNAPSHOTS, key, { signal });
	await addFinalizer(client, VOLUME_SNAPSHOTS, snapshot, SNAPSHOT_SOURCE_FINALIZER, signal).catch((error: unknown) => {
		// Older rules of upstream's do not allow it.
		if (codeOf(error) !== 'PermissionDenied') throw error;
	});
}

function required(
	{ driver, options, listers }: Provisioning,
	claim: PersistentVolumeClaim,
	storageClass: StorageClass,
	selectedNode: string,
): ReturnType<typeof accessibility> {
	try {
		return accessibility({
			driver: driver.name,
			claimName: claim.metadata.name ?? '',
			allowed: storageClass.allowedTopologies ?? [],
			selectedNode,
			strict: options.strictTopology,
			immediate: options.immediateTopology,
			nodes: listers.nodes.list(),
			csiNodes: listers.csiNodes.list(),
		});
	} catch (cause) {
		// The node is gone: the scheduler is to choose another.
		if (codeOf(cause) === 'NotFound') throw new ProvisionError('reschedule', cause);
		throw new AppError(codeOf(cause), `error generating accessibility requirements: ${messageOf(cause)}`, { cause });
	}
}

async function mutableParameters(
	{ client, driver }: Provisioning,
	claim: PersistentVolumeClaim,
	signal: AbortSignal,
): Promise<Record<string, string>> {
	const name = claim.spec?.volumeAttributesClassName ?? '';
	if (name === '') return {};
	const { driverName, parameters = {} } = await client.get(VOLUME_ATTRIBUTES_CLASSES, name, { signal });
	if (driverName === driver.name) return parameters;
	throw new ProvisionError(
		'finished',
		new AppError(
			'FailedPrecondition',
			`VAC ${name} referenced in PVC is for driver ${driverName} which does not match driver name ${driver.name}`,
		),
	);
}

export function tokensOf({ metadata }: PersistentVolumeClaim, volume: string): Tokens {
	const { name = '', namespace = '', annotations = {} } = metadata;
	return {
		namespace: { 'pv.name': volume, 'pvc.namespace': namespace },
		name: {
			...{ 'pv.name': volume, 'pvc.name': name, 'pvc.namespace': namespace },
			...Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`pvc.annotations['${key}']`, value])),
		},
	};
}
