/** The volumes of a pod that was given a node: believed bound at once, written before the pod is bound, given back where that fails (upstream's AssumePodVolumes and BindPodVolumes). */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { SELECTED_NODE } from '../../../api/storage/annotations.ts';
import { boundVolume } from '../../../api/storage/bind.ts';
import { linked } from '../../../base/abort.ts';
import { AppError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Assumed } from '../../../client/assumed.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import type { Reservation } from '../framework.ts';
import type { PodInfo } from '../pod-info.ts';
import { bindingProgress, type Written } from './binding-progress.ts';
import type { Changes } from './changes.ts';
import type { Found } from './find-volumes.ts';

export interface ReservationDeps {
	readonly client: Client;
	readonly clock: Clock;
	readonly volumes: Assumed<PersistentVolume & KubeObject>;
	readonly claims: Assumed<PersistentVolumeClaim & KubeObject>;
	/** As the API shows them, without what is believed. */
	readonly shown: {
		volume(name: string): PersistentVolume | undefined;
		claim(key: Key): PersistentVolumeClaim | undefined;
		hasPod(pod: PodInfo): boolean;
	};
	readonly nodes: Lister<Node & KubeObject>;
	/** Of any of these. */
	readonly changes: Changes;
}

/** The plugin that binds volumes. */
export const VOLUME_BINDING = 'VolumeBinding';

/** @param timeoutMs how long the volumes may take */
export function reserveVolumes(deps: ReservationDeps, pod: PodInfo, nodeName: string, found: Found, timeoutMs: number): Reservation {
	const { client, clock, volumes, claims, shown, nodes, changes } = deps;
	const bindings = found.bindings.map(({ claim, volume }) => ({ claim, before: volume, volume: boundVolume(volume, claim) }));
	const provisions = found.provisions.map((claim) => selecting(claim, nodeName));
	for (const { before, volume } of bindings) if (volume !== before) volumes.assume(volume);
	for (const claim of provisions) claims.assume(claim);

	async function write(signal: AbortSignal): Promise<Written> {
		const written = {
			bindings: [] as { claim: PersistentVolumeClaim; volume: PersistentVolume }[],
			provisions: [] as PersistentVolumeClaim[],
		};
		for (const { claim, volume } of bindings) {
			const bound = await client.update(PERSISTENT_VOLUMES, volume, { signal });
			volumes.assume(bound);
			written.bindings.push({ claim, volume: bound });
		}
		for (const claim of provisions) {
			const asked = await client.update(PERSISTENT_VOLUME_CLAIMS, claim, { signal });
			claims.assume(asked);
			written.provisions.push(asked);
		}
		return written;
	}

	return {
		plugin: VOLUME_BINDING,
		async beforeBinding(signal) {
			const written = await write(signal);
			using stop = linked(signal);
			using _ = clock.after(timeoutMs, () => stop.abort());
			for (;;) {
				const progress = bindingProgress(written, nodeName, { ...shown, node: nodes.get(nodeName), hasPod: shown.hasPod(pod) });
				if (progress === 'done') return;
				if (progress !== 'waiting') throw new AppError('FailedPrecondition', `binding volumes: ${progress.failed}`);
				await changes.next(stop.signal).catch((error: unknown) => {
					if (signal.aborted) throw error;
					throw new AppError('DeadlineExceeded', 'binding volumes: context deadline exceeded');
				});
			}
		},
		undo() {
			for (const { volume } of bindings) volumes.restore(volume.metadata.name ?? '');
			for (const claim of provisions) claims.restore(keyOf(claim));
		},
	};
}

function selecting(claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim {
	return { ...claim, metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [SELECTED_NODE]: node } } };
}
