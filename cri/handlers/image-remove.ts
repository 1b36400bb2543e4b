/** RemoveImage: the image with all its names. Gone already is success, also when another caller removes it meanwhile. */
import { ignore } from '../../base/errors.ts';
import type { Handler } from '../context.ts';
import type { ImageInspect } from '../engine/types.ts';
import type { RemoveImageRequest, RemoveImageResponse } from '../proto.ts';

export const removeImage: Handler<RemoveImageRequest, RemoveImageResponse> = async ({ engine, pulled }, { image }, signal) => {
	const name = image?.image ?? '';
	const found = await engine
		.call<ImageInspect>({ method: 'GET', path: `/images/${name}/json`, signal })
		.catch(ignore('NotFound', 'InvalidArgument'));
	if (found === undefined) return {};
	const remove = async (reference: string): Promise<unknown> =>
		engine.call<unknown>({ method: 'DELETE', path: `/images/${reference}`, signal }).catch(ignore('NotFound'));
	for (const tag of found.RepoTags ?? []) await remove(tag);
	for (const digest of found.RepoDigests ?? []) await remove(digest);
	await remove(found.Id);
	await pulled.delete(found.Id);
	return {};
};
