/** Pulls an image for a pod, when it is its turn, with what the pod may show to the registry; who may use the image afterwards is noted. */
import type { Pod } from '../../api/gen/types.ts';
import { aggregated } from '../../base/aggregate.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import type { Credential } from './credential.ts';
import { credentialsOf } from './credentials.ts';
import { sizeBucket } from './size-bucket.ts';

export interface Pull {
	readonly info: ImageInfo;
	/** Without the wait for its turn. */
	readonly tookMs: number;
}

export async function pullFor(pod: Pod, name: string, context: AgentContext, signal: AbortSignal): Promise<Pull> {
	const { clock, figures, images } = context;
	const work = async (): Promise<Pull> => {
		const from = clock.monotonic();
		const info = await pullWith(await credentialsOf(pod, name, context, signal), name, context, signal);
		const tookMs = clock.monotonic() - from;
		figures.imagePull.observe({ image_size_in_bytes: sizeBucket(info.sizeBytes) }, tookMs / 1000);
		return { info, tookMs };
	};
	return await (images === undefined ? work() : images.limits.run(signal, work));
}

/** Whether the pod may use the image that lies on the node. */
export async function mayUse(pod: Pod, name: string, imageId: string, context: AgentContext, signal: AbortSignal): Promise<boolean> {
	const records = context.images?.records;
	if (records === undefined) return true;
	return await records.mayUse(name, imageId, async () => (await credentialsOf(pod, name, context, signal)).map((c) => c.source));
}

/** One credential after the other until one is taken; what all failed with is told. */
async function pullWith(credentials: readonly Credential[], name: string, context: AgentContext, signal: AbortSignal): Promise<ImageInfo> {
	const { runtime } = context;
	const records = context.images?.records;
	await records?.pulling(name);
	const failed: unknown[] = [];
	for (const credential of credentials.length === 0 ? [undefined] : credentials) {
		try {
			const id = await runtime.pullImage(name, credential === undefined ? [] : [credential.auth], signal);
			const info = (await runtime.image(id, signal)) ?? (await runtime.image(name, signal));
			if (info === undefined) throw new AppError('Internal', `the runtime does not know image "${id}" it has just pulled`);
			await records?.pulled(name, info.id, credential?.source);
			return info;
		} catch (error) {
			if (signal.aborted) throw error;
			failed.push(error);
		}
	}
	await records?.notPulling(name);
	throw aggregated(failed);
}
