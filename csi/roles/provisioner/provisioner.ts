/** The external-provisioner: claims become volumes, released volumes go, and the scheduler is told how much there is. */
import type { PersistentVolumeClaim } from '../../../api/gen/types.ts';
import {
	CSI_NODES,
	NODES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	STORAGE_CLASSES,
	VOLUME_ATTACHMENTS,
} from '../../../api/resources.ts';
import { keyOf } from '../../../api/resource.ts';
import type { Service } from '../../../base/service.ts';
import { createController, keysFrom } from '../../../client/controller.ts';
import type { RoleDeps } from '../role.ts';
import { capacityServices } from './capacity.ts';
import { claimReconcile } from './claims.ts';
import { cloningReconcile } from './cloning.ts';
import { PROVISIONER_DEFAULTS, type ProvisionerOptions, type Provisioning } from './options.ts';
import { volumeReconcile } from './volumes.ts';

export function createProvisioner(deps: RoleDeps, given: Partial<ProvisionerOptions> = {}): readonly Service[] {
	const { informers, clock, workers, backoff } = deps;
	const log = deps.log.with({ role: 'provisioner' });
	const common = { clock, log, workers, backoff, ...(deps.metrics === undefined ? {} : { metrics: deps.metrics }) };
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const volumes = informers.get(PERSISTENT_VOLUMES);
	const [classes, nodes, csiNodes] = [informers.get(STORAGE_CLASSES), informers.get(NODES), informers.get(CSI_NODES)];
	const attachments = informers.get(VOLUME_ATTACHMENTS);
	const provisioning: Provisioning = {
		...deps,
		log,
		options: { ...PROVISIONER_DEFAULTS, ...given },
		listers: {
			claims: claims.lister,
			volumes: volumes.lister,
			classes: classes.lister,
			nodes: nodes.lister,
			csiNodes: csiNodes.lister,
			attachments: attachments.lister,
		},
	};
	const silent = [classes, volumes, nodes, csiNodes].map((informer) => keysFrom(informer as typeof classes, () => []));
	return [
		createController({
			...common,
			name: 'csi-provisioner-claims',
			sources: [keysFrom(claims), ...silent],
			reconcile: claimReconcile(provisioning),
		}),
		createController({
			...common,
			name: 'csi-provisioner-volumes',
			sources: [
				keysFrom(volumes),
				// A volume waits until it is attached nowhere.
				keysFrom(attachments, ({ before, after }) => (after === undefined ? [before?.spec.source.persistentVolumeName ?? ''] : [])),
				keysFrom(classes, () => []),
			],
			reconcile: volumeReconcile(provisioning),
		}),
		createController({
			...common,
			name: 'csi-provisioner-cloning',
			workers: 1,
			sources: [keysFrom(claims, ({ after }) => deleted(after))],
			reconcile: cloningReconcile(provisioning),
		}),
		...capacityServices(provisioning),
	];
}

function deleted(claim: PersistentVolumeClaim | undefined): readonly string[] {
	return claim?.metadata.deletionTimestamp === undefined ? [] : [keyOf(claim)];
}
