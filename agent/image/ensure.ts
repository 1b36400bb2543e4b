/** Brings an image onto the node, by its pull policy, with back-off and events. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { remainingMs } from '../pod/backoff.ts';
import type { PodContainer } from '../pod/containers.ts';
import type { PodMemory } from '../pod/memory.ts';
import { RETRY_MS, StartFailure } from '../pod/start-failure.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import { goDuration } from './duration.ts';
import { normalizedImage } from './name.ts';
import { mayUse, pullFor } from './pull.ts';
import { pullFailure } from './pull-failure.ts';

export type Tell = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

/** A container's image. StartFailure with the waiting reason upstream gives. */
export function ensureImage(
	pod: Pod,
	container: PodContainer,
	memory: PodMemory,
	context: AgentContext,
	signal: AbortSignal,
): Promise<ImageInfo> {
	const tell: Tell = (type, reason, message) => podEvent(context, pod, type, reason, message, container);
	const { name, image = '', imagePullPolicy = 'IfNotPresent' } = container.spec;
	const work = async (over: AbortSignal): Promise<ImageInfo> => {
		try {
			return await bringImage(pod, { image, policy: imagePullPolicy }, memory, context, tell, over);
		} catch (error) {
			if (error instanceof StartFailure) tell('Warning', 'Failed', `Error: ${error.reason}`);
			throw error;
		}
	};
	return memory.images.bring(`container ${name}`, image, work, signal);
}

export interface WantedImage {
	/** As it was asked for. */
	readonly image: string;
	readonly policy: string;
}

/** @param tell about whom the image is for */
export async function bringImage(
	pod: Pod,
	{ image, policy }: WantedImage,
	memory: PodMemory,
	context: AgentContext,
	tell: Tell,
	signal: AbortSignal,
): Promise<ImageInfo> {
	const { ensured } = context.figures;
	const name = normalizedImage(image);
	const count = (present: boolean | 'unknown', pull: boolean | 'unknown'): void =>
		ensured.inc({ pull_policy: policy.toLowerCase(), present_locally: String(present), pull_required: String(pull) });
	if (name === undefined) {
		count('unknown', 'unknown');
		const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
		tell('Warning', 'InspectFailed', message);
		throw new StartFailure('InvalidImageName', message, RETRY_MS);
	}
	const present = await context.runtime.image(name, signal).catch((cause: unknown) => {
		if (signal.aborted) throw cause;
		count('unknown', 'unknown');
		const message = `Failed to inspect image "${image}": ${messageOf(cause)}`;
		tell('Warning', 'InspectFailed', message);
		throw new StartFailure('ImageInspectError', message, RETRY_MS, { cause });
	});
	if (present !== undefined && policy !== 'Always' && (await mayUse(pod, name, present.id, context, signal))) {
		count(true, false);
		const access = context.images?.records.verifies === true ? ' and can be accessed by the pod' : '';
		tell('Normal', 'Pulled', `Container image "${image}" already present on machine${access}`);
		return present;
	}
	if (policy === 'Never') {
		count(present !== undefined, 'unknown');
		const message = `Container image "${image}" is not present with pull policy of Never`;
		tell('Warning', 'ErrImageNeverPull', message);
		throw new StartFailure('ErrImageNeverPull', message, RETRY_MS);
	}
	count(present !== undefined, true);
	return pull(pod, name, image, memory, context, tell, signal);
}

async function pull(
	pod: Pod,
	name: string,
	image: string,
	memory: PodMemory,
	context: AgentContext,
	tell: Tell,
	signal: AbortSignal,
): Promise<ImageInfo> {
	const { clock } = context;
	const key = `image_${image}`;
	const failure = memory.pullFailures.get(key);
	const waitMs = failure === undefined ? 0 : remainingMs(memory.backoffs.entry(key), failure.at, clock.now());
	if (failure !== undefined && waitMs > 0) {
		const message = `Back-off pulling image "${image}"`;
		tell('Normal', 'BackOff', message);
		throw new StartFailure('ImagePullBackOff', `${message}: ${failure.reason}: ${failure.message}`, waitMs);
	}
	tell('Normal', 'Pulling', `Pulling image "${image}"`);
	const from = clock.monotonic();
	try {
		const { info, tookMs } = await pullFor(pod, name, context, signal);
		const [took, whole] = [goDuration(tookMs), goDuration(clock.monotonic() - from)];
		tell(
			'Normal',
			'Pulled',
			`Successfully pulled image "${image}" in ${took} (${whole} including waiting). Image size: ${info.sizeBytes} bytes.`,
		);
		memory.pullFailures.delete(key);
		if (!memory.startTold) memory.pulls.push({ from: clock.now() - tookMs, to: clock.now() });
		return info;
	} catch (error) {
		if (signal.aborted) throw error;
		const message = messageOf(error);
		const now = clock.now();
		const entry = memory.backoffs.bump(key, failure?.at ?? now, now);
		const told = pullFailure(image, message);
		memory.pullFailures.set(key, { at: now, ...told });
		tell('Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
		// A first look soon shows ImagePullBackOff, as upstream's next sync does.
		throw new StartFailure(told.reason, told.message, Math.min(RETRY_MS, entry.delayMs), { cause: error });
	}
}
