/** The images of image volumes. Upstream fails late: a container that mounts one waits with the reason, the others start. */
import type { Pod, Volume } from '../../api/gen/types.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { PodContainer } from '../pod/containers.ts';
import type { PodMemory } from '../pod/memory.ts';
import { StartFailure } from '../pod/start-failure.ts';
import type { VolumePath, VolumePaths } from '../volume/volume-path.ts';
import { bringImage, type Tell, type WantedImage } from './ensure.ts';

/** By volume name; each rejects with a StartFailure. */
export type VolumeImages = ReadonlyMap<string, Promise<VolumePath>>;

/** All of the pod's, at once; events are about the pod. */
export function bringVolumeImages(pod: Pod, memory: PodMemory, context: AgentContext, signal: AbortSignal): VolumeImages {
	const tell: Tell = (type, reason, message) => podEvent(context, pod, type, reason, message);
	const bring = async (volume: Volume): Promise<VolumePath> => {
		const wanted = wantedBy(volume);
		const work = (over: AbortSignal) => bringImage(pod, wanted, memory, context, tell, over);
		const { id } = await memory.images.bring(`volume ${volume.name}`, wanted.image, work, signal);
		return { kind: 'image', image: id };
	};
	const volumes = (pod.spec?.volumes ?? []).filter((volume) => volume.image !== undefined);
	const images = new Map(volumes.map((volume) => [volume.name, bring(volume)]));
	for (const image of images.values()) image.catch(() => {}); // whoever mounts it hears of it
	return images;
}

/** Those that the container mounts; the last one that is not here is why it waits. */
export async function mountedImages(pod: Pod, container: PodContainer, images: VolumeImages, context: AgentContext): Promise<VolumePaths> {
	const mounted = new Map<string, VolumePath>();
	let failure: StartFailure | undefined;
	for (const { name } of container.spec.volumeMounts ?? []) {
		const image = images.get(name);
		if (image === undefined) continue;
		try {
			mounted.set(name, await image);
		} catch (error) {
			if (!(error instanceof StartFailure)) throw error;
			podEvent(context, pod, 'Warning', 'Failed', `Error: ${error.reason}`, container);
			failure = error;
		}
	}
	if (failure !== undefined) throw failure;
	return mounted;
}

/** What runtimes begin with that could not mount an image (cri-api's ErrImageVolumeMountFailed). */
const NOT_MOUNTED = 'ImageVolumeMountFailed';

/**
 * Counts a container's start as upstream does: what did not fail of a mount has mounted (incrementImageVolumeMetrics).
 * @param mounted its images
 */
export function countMounts(
	{ spec }: PodContainer,
	mounted: VolumePaths,
	{ imageVolumes }: AgentContext['figures'],
	error?: unknown,
): void {
	const failed = error instanceof StartFailure && error.reason === 'CreateContainerError' && error.message.startsWith(NOT_MOUNTED);
	imageVolumes.requested.inc({}, mounted.size);
	for (const { name } of spec.volumeMounts ?? []) if (mounted.has(name)) (failed ? imageVolumes.errors : imageVolumes.mounted).inc();
}

function wantedBy({ image: { reference = '', pullPolicy } = {} }: Volume): WantedImage {
	const isLatest = /:latest$|^[^:@]*$/.test(reference.slice(reference.lastIndexOf('/') + 1));
	return { image: reference, policy: pullPolicy ?? (isLatest ? 'Always' : 'IfNotPresent') };
}
