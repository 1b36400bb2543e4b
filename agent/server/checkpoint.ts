/**
 * POST /checkpoint/NAMESPACE/POD/CONTAINER: the runtime writes the container's state into a file of the node (forensic checkpoints). Few at a
 * time, one a container, and none while the node is short of disk: archives are as large as the container's memory.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOf } from '../../api/time.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { findPod, placeOf } from './find.ts';
import type { Bounded } from './bounded.ts';
import type { ServerDeps } from './deps.ts';

/** The text of the answer, which names the file. */
export async function checkpoint(
	parts: readonly string[],
	url: URL,
	deps: ServerDeps,
	bounded: Bounded,
	signal: AbortSignal,
): Promise<string> {
	const { context, pods } = deps;
	const place = placeOf(parts, true);
	if (place?.container === undefined || place.uid !== undefined) throw new AppError('NotFound', `404 page not found: ${url.pathname}`);
	const pod = findPod(pods(), place);
	const seen = await context.runtime.pod(pod.metadata.uid ?? '', signal);
	const container = seen?.containers.find((c) => c.name === place.container);
	if (container === undefined) throw new AppError('NotFound', `container ${place.container} does not exist`);
	const seconds = secondsOf(url.searchParams.getAll('timeout').at(-1));
	const short = context.node()?.status?.conditions?.some((c) => c.type === 'DiskPressure' && c.status === 'True');
	if (short === true) throw new AppError('ResourceExhausted', 'Too many requests: the node is short of disk, try again later');
	return bounded.run(container.id, async () => {
		const folder = join(context.options.rootDir, 'checkpoints');
		await mkdir(folder, { recursive: true, mode: 0o700 });
		const time = timeOf(context.clock.now());
		const file = join(folder, `checkpoint-${place.pod}_${place.namespace}-${container.name}-${time}.tar`);
		try {
			await context.runtime.checkpoint(container.id, file, seconds, signal);
		} catch (cause) {
			const what = `checkpointing of ${place.namespace}/${place.pod}/${container.name} failed (${messageOf(cause)})`;
			throw new AppError('Internal', what, { cause });
		}
		return JSON.stringify({ items: [file] });
	});
}

function secondsOf(text: string | undefined): number {
	if (text === undefined || text === '') return 0;
	if (!/^\d{1,9}$/.test(text)) throw new AppError('InvalidArgument', `cannot parse value of timeout parameter "${text}"`);
	return Number(text);
}
