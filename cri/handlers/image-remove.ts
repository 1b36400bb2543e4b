/** RemoveImage: the image with all its names. Gone already is success, and whoever asks while it is being removed waits for that. */
import type { Context, Handler } from '../context.ts';
import type { ImageInspect } from '../engine/types.ts';
import { ignoreGone, inspectImage } from '../images/inspect.ts';
import type { RemoveImageRequest, RemoveImageResponse } from '../proto.ts';

/** By engine and image id. */
const removing = new WeakMap<Context, Map<string, Promise<void>>>();

export const removeImage: Handler<RemoveImageRequest, RemoveImageResponse> = async (context, { image }, signal) => {
	const name = image?.image ?? '';
	const found = await inspectImage(context.engine, name, signal);
	if (found === undefined) return {};
	const running = removing.get(context) ?? new Map<string, Promise<void>>();
	removing.set(context, running);
	const removal = running.get(found.Id) ?? removeAll(context, found).finally(() => running.delete(found.Id));
	running.set(found.Id, removal);
	await removal;
	return {};
};

/** Not bound to one caller's patience: others may wait for it too. */
async function removeAll({ engine, pulled, imageConfigs }: Context, image: ImageInspect): Promise<void> {
	const remove = async (reference: string): Promise<unknown> =>
		engine.call<unknown>({ method: 'DELETE', path: `/images/${reference}` }).catch(ignoreGone);
	for (const tag of image.RepoTags ?? []) await remove(tag);
	for (const digest of image.RepoDigests ?? []) await remove(digest);
	await remove(image.Id);
	imageConfigs.forget(image.Id);
	await pulled.delete(image.Id);
}
