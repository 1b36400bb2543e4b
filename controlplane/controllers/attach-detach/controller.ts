/** Which changes concern which nodes' attachments. Keys are nodes; one worker, as a volume that only one node may have concerns several. */
import type { CSIDriver, Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { CSI_DRIVERS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import { claimKeysOf } from '../../../api/storage/pod-claims.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Registry } from '../../../base/metrics.ts';
import { Assumed } from '../../../client/assumed.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { Attacher } from './attacher.ts';
import { Attachments } from './attachments.ts';
import { Detacher } from './detacher.ts';
import { attachDetachMetrics, type Counts } from './metrics.ts';
import { volumeOf } from './plan.ts';
import { wantedBy, type Storage } from './wanted.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

export function attachDetachController({ client, informers, clock, recorder }: Deps, metrics: Registry | undefined): Reconciler {
	const [pods, nodes] = [informers.get(PODS), informers.get(NODES)];
	const [claims, volumes] = [informers.get(PERSISTENT_VOLUME_CLAIMS), informers.get(PERSISTENT_VOLUMES)];
	const [drivers, attachmentInformer] = [informers.get(CSI_DRIVERS), informers.get(VOLUME_ATTACHMENTS)];
	pods.addIndex('node', (pod) => [pod.spec?.nodeName ?? '']);
	pods.addIndex('claim', (pod: Pod) => claimKeysOf(pod));
	const attachments = new Attachments(attachmentInformer);
	const storage: Storage = {
		claim: (key) => claims.lister.get(key),
		volume: (name) => volumes.lister.get(name),
		driver: (name) => drivers.lister.get(name),
	};
	const seenNodes = new Assumed<Node & KubeObject>(nodes);
	const podsOn = (name: string): readonly Pod[] => pods.lister.byIndex('node', name);
	const detacher = new Detacher({ client, clock, attachments, nodes: seenNodes, volume: storage.volume });
	const counts: Counts = {
		nodes: () => nodes.lister.list().map(({ metadata: { name = '' } }) => ({ name, wanted: wantedBy(podsOn(name), storage) })),
		attachers: () => attachments.all().map(({ spec }) => spec.attacher),
	};
	const counted = metrics === undefined ? undefined : attachDetachMetrics(metrics, counts);
	const attacher = new Attacher({ client, clock, recorder, storage, attachments, detacher, metrics: counted, nodes: seenNodes, podsOn });

	const usersOf = (claim: Key): readonly Key[] =>
		pods.lister
			.byIndex('claim', claim)
			.map((pod) => pod.spec?.nodeName ?? '')
			.filter((name) => name !== '');
	const usersOfVolume = (volume: PersistentVolume | undefined): readonly Key[] => {
		const { namespace, name = '' } = volume?.spec?.claimRef ?? {};
		return name === '' ? [] : usersOf(keyOf({ metadata: { namespace, name } }));
	};
	/** Its node; once it is gone also those that wait for the volume. */
	const ofAttachment = ({ before, after }: Change<VolumeAttachment>): readonly Key[] => {
		const attachment = after ?? before;
		if (attachment === undefined) return [];
		return [attachment.spec.nodeName, ...(after === undefined ? usersOfVolume(storage.volume(volumeOf(attachment))) : [])];
	};
	return {
		sources: [
			keysFrom(pods, ({ before, after }: Change<Pod>) => {
				const pod = after ?? before;
				return pod === undefined || claimKeysOf(pod).length === 0 || (pod.spec?.nodeName ?? '') === '' ? [] : [pod.spec?.nodeName ?? ''];
			}),
			keysFrom<PersistentVolumeClaim>(claims, ({ before, after }) => ofClaim(after ?? before)),
			keysFrom<PersistentVolume>(volumes, ({ before, after }) => usersOfVolume(after ?? before)),
			keysFrom<VolumeAttachment>(attachmentInformer, ofAttachment),
			keysFrom<Node>(nodes, ({ before, after }) => [(after ?? before)?.metadata.name ?? '']),
			// What a driver wants may have changed for every node.
			keysFrom<CSIDriver>(drivers, () => nodes.lister.list().map(keyOf)),
		],
		reconcile: (key, signal) => attacher.reconcile(key, signal),
	};

	function ofClaim(claim: PersistentVolumeClaim | undefined): readonly Key[] {
		return claim === undefined ? [] : usersOf(keyOf(claim));
	}
}
