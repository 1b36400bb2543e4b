/** What containers about to start run and mount: asked for all at once, waited for by each alone. */
import type { Pod } from '../../api/gen/types.ts';
import type { AgentContext } from '../context.ts';
import type { PodMemory } from '../pod/memory.ts';
import type { StartAction } from '../pod/plan.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import type { VolumePaths } from '../volume/volume-path.ts';
import { ensureImage } from './ensure.ts';
import { bringVolumeImages, mountedImages } from './volume-image.ts';

export interface ContainerImages {
	/** Those that it has as volumes. */
	readonly mounted: VolumePaths;
	/** Its own. Rejects with StartFailure. */
	readonly image: Promise<ImageInfo>;
}

export interface ComingImages {
	/** Rejects with StartFailure when one that the container mounts is not to be had: its own is not asked for then. */
	of(action: StartAction): Promise<ContainerImages>;
	/** None is awaited any more. */
	readonly arrived: boolean;
}

export function comingImages(
	pod: Pod,
	actions: readonly StartAction[],
	memory: PodMemory,
	context: AgentContext,
	signal: AbortSignal,
): ComingImages {
	const volumeImages = bringVolumeImages(pod, memory, context, signal);
	const bring = async ({ container }: StartAction): Promise<ContainerImages> => {
		const mounted = await mountedImages(pod, container, volumeImages, context);
		return { mounted, image: heardLater(ensureImage(pod, container, memory, context, signal)) };
	};
	const coming = new Map(actions.map((action) => [action, heardLater(bring(action))] as const));
	let arrived = false;
	const all = [...coming.values()].map((images) => images.then(({ image }) => image));
	const settled = Promise.allSettled(all).then(() => (arrived = true));
	return {
		of: (action) => coming.get(action) ?? settled.then(() => bring(action)),
		get arrived() {
			return arrived;
		},
	};
}

/** Its failure is for whoever waits for it, which may begin later. */
function heardLater<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => {});
	return promise;
}
