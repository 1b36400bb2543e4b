/** The external-attacher: VolumeAttachments are carried out by the driver, or at once where it has nothing to attach. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { VolumeAttachment } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CSI_NODES, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import { sameJson } from '../../../api/same-json.ts';
import type { Service } from '../../../base/service.ts';
import type { Change } from '../../../client/cache.ts';
import { createController, keysFrom, type Reconcile } from '../../../client/controller.ts';
import { ControllerServiceCapability_RPC_Type as Rpc, PluginCapability_Service_Type as PluginService } from '../../proto.ts';
import { removeFinalizer } from '../finalizers.ts';
import type { RoleDeps } from '../role.ts';
import { attachmentReconcile, type Attaching } from './attach.ts';
import { attacherFinalizer, markAttached } from './attachment.ts';
import { publishedComparison } from './compare.ts';

export interface AttacherOptions {
	readonly defaultFsType: string;
	/** --reconcile-sync: how often attachments are compared with what the driver says is published. */
	readonly compareMs: number;
}

const ATTACHER_DEFAULTS: AttacherOptions = { defaultFsType: '', compareMs: 60_000 };

export function createAttacher(deps: RoleDeps, given: Partial<AttacherOptions> = {}): readonly Service[] {
	const options = { ...ATTACHER_DEFAULTS, ...given };
	const { informers, clock, workers, backoff, driver, metrics } = deps;
	const log = deps.log.with({ role: 'attacher' });
	const common = { clock, log, workers, backoff, ...(metrics === undefined ? {} : { metrics }) };
	const attachments = informers.get(VOLUME_ATTACHMENTS);
	const own = keysFrom(attachments, changed);
	const rpcs = driver.controllerRpcs;
	if (!driver.services.has(PluginService.CONTROLLER_SERVICE) || !rpcs.has(Rpc.PUBLISH_UNPUBLISH_VOLUME))
		return [
			createController({
				...common,
				name: 'csi-attacher',
				sources: [own],
				reconcile: trivialReconcile({ ...deps, log }, attachments.lister),
			}),
		];
	const [volumes, csiNodes] = [informers.get(PERSISTENT_VOLUMES), informers.get(CSI_NODES)];
	const attaching: Attaching = {
		...deps,
		...{ log, attachments: attachments.lister, volumes: volumes.lister, csiNodes: csiNodes.lister },
		...{ defaultFsType: options.defaultFsType, forced: new Set<Key>() },
	};
	const controller = createController({
		...common,
		name: 'csi-attacher',
		sources: [own, keysFrom(volumes, () => []), keysFrom(csiNodes, () => [])],
		reconcile: attachmentReconcile(attaching),
	});
	const finalizer = attacherFinalizer(driver.name);
	return [
		controller,
		createController({
			...common,
			name: 'csi-attacher-volumes',
			sources: [
				keysFrom(volumes, ({ after }) =>
					after?.metadata.deletionTimestamp !== undefined && hasFinalizer(after, finalizer) ? [keyOf(after)] : [],
				),
				keysFrom(attachments, ({ before, after }) => (after === undefined ? [before?.spec.source.persistentVolumeName ?? ''] : [])),
			],
			async reconcile(key, signal) {
				const volume = volumes.lister.get(key);
				if (volume?.metadata.deletionTimestamp === undefined || !hasFinalizer(volume, finalizer)) return;
				if (attachments.lister.list().some((a) => a.spec.source.persistentVolumeName === key)) return;
				await removeFinalizer(deps.client, PERSISTENT_VOLUMES, volume, finalizer, signal);
			},
		}),
		...(rpcs.has(Rpc.LIST_VOLUMES) && rpcs.has(Rpc.LIST_VOLUMES_PUBLISHED_NODES)
			? [publishedComparison(attaching, options.compareMs, (key) => controller.enqueue(key))]
			: []),
	];
}

/** What only says why it failed is our own writing: looking again at once would break the back-off. Pure. */
function changed({ before, after }: Change<VolumeAttachment>): readonly Key[] {
	if (after === undefined) return [];
	const failed = [before, after].some((a) => a?.status?.attachError !== undefined || a?.status?.detachError !== undefined);
	return before !== undefined && failed && sameJson(substance(before), substance(after)) ? [] : [keyOf(after)];
}

function substance({ metadata, spec, status }: VolumeAttachment): unknown {
	const { resourceVersion: _version, managedFields: _fields, ...rest } = metadata;
	const { attachError: _attach, detachError: _detach, ...told } = status ?? {};
	return { rest, spec, told };
}

/** A driver that publishes nothing from its controller: attached is a word. */
function trivialReconcile(deps: RoleDeps, attachments: { get(key: Key): VolumeAttachment | undefined }): Reconcile {
	return async (key, signal) => {
		const attachment = attachments.get(key);
		if (attachment === undefined || attachment.spec.attacher !== deps.driver.name || attachment.status?.attached === true) return;
		await markAttached(deps, key, {}, signal);
	};
}
