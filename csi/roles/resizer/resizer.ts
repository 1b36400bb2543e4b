/** The external-resizer: volumes grow with their claims, and change with their attributes classes. */
import type { PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS, VOLUME_ATTRIBUTES_CLASSES } from '../../../api/resources.ts';
import type { Service } from '../../../base/service.ts';
import type { Change } from '../../../client/cache.ts';
import { createController, keysFrom } from '../../../client/controller.ts';
import { ControllerServiceCapability_RPC_Type as Rpc, PluginCapability_VolumeExpansion_Type as Expansion } from '../../proto.ts';
import type { RoleDeps } from '../role.ts';
import { growReconcile } from './grow.ts';
import { modifyReconcile } from './modify.ts';

export interface ResizerOptions {
	/** --extra-modify-metadata */
	readonly extraMetadata: boolean;
}

export function createResizer(deps: RoleDeps, given: Partial<ResizerOptions> = {}): readonly Service[] {
	const { informers, clock, workers, backoff, driver, metrics } = deps;
	const log = deps.log.with({ role: 'resizer' });
	const common = { clock, log, workers, backoff, ...(metrics === undefined ? {} : { metrics }) };
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const volumes = informers.get(PERSISTENT_VOLUMES);
	const attachments = informers.get(VOLUME_ATTACHMENTS);
	const resizing = { ...deps, log, claims: claims.lister, volumes: volumes.lister };
	const grows =
		driver.controllerRpcs.has(Rpc.EXPAND_VOLUME) || driver.expansion.has(Expansion.ONLINE) || driver.expansion.has(Expansion.OFFLINE);
	return [
		...(grows
			? [
					createController({
						...common,
						name: 'csi-resizer',
						sources: [
							keysFrom(claims, resized),
							keysFrom(volumes, () => []),
							// What grows only while nobody uses it can do so now.
							keysFrom(attachments, ({ before, after }) => (after === undefined ? claimOf(before?.spec.source.persistentVolumeName) : [])),
						],
						reconcile: growReconcile(resizing),
					}),
				]
			: []),
		...(driver.controllerRpcs.has(Rpc.MODIFY_VOLUME) ? [modifier()] : []),
	];

	function claimOf(volume: string | undefined): readonly Key[] {
		const { namespace, name } = volumes.lister.get(volume ?? '')?.spec?.claimRef ?? {};
		return name === undefined ? [] : [`${namespace ?? ''}/${name}`];
	}

	function modifier(): Service {
		const classes = informers.get(VOLUME_ATTRIBUTES_CLASSES);
		const ofClass = ({ before, after }: Change<{ metadata: { name?: string | undefined } }>): readonly Key[] => {
			const name = (after ?? before)?.metadata.name;
			return claims.lister.list().flatMap((claim) => (claim.spec?.volumeAttributesClassName === name ? [keyOf(claim)] : []));
		};
		return createController({
			...common,
			name: 'csi-resizer-modify',
			sources: [
				keysFrom(claims, modified),
				keysFrom(volumes, () => []),
				keysFrom(classes, (change) => (change.before === undefined ? ofClass(change) : [])),
			],
			reconcile: modifyReconcile({
				...resizing,
				...{ classes: classes.lister, extraMetadata: given.extraMetadata ?? false },
			}),
		});
	}
}

/** Our own word of a failure is no reason to look again at once. Pure. */
function resized({ before, after }: Change<PersistentVolumeClaim>): readonly Key[] {
	if (after === undefined) return before === undefined ? [] : [keyOf(before)];
	const seen = ({ spec, status }: PersistentVolumeClaim): readonly unknown[] => [
		spec?.volumeName,
		spec?.resources?.requests?.['storage'],
		status?.phase,
		status?.capacity?.['storage'],
		status?.allocatedResourceStatuses?.['storage'],
	];
	return before !== undefined && same(seen(before), seen(after)) ? [] : [keyOf(after)];
}

function modified({ before, after }: Change<PersistentVolumeClaim>): readonly Key[] {
	if (after === undefined) return before === undefined ? [] : [keyOf(before)];
	const seen = ({ spec, status }: PersistentVolumeClaim): readonly unknown[] => [
		spec?.volumeAttributesClassName,
		spec?.volumeName,
		status?.phase,
		status?.modifyVolumeStatus?.status,
	];
	return before !== undefined && same(seen(before), seen(after)) ? [] : [keyOf(after)];
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
	return a.every((value, i) => value === b[i]);
}
