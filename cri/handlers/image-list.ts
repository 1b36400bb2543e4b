/** ListImages. An image that this cluster did not pull is the user's own, and pinned: nobody collects it. */
import { ignore } from '../../base/errors.ts';
import type { Handler } from '../context.ts';
import { criImage } from '../convert/image.ts';
import type { ImageInspect, ImageSummary } from '../engine/types.ts';
import type { ListImagesRequest, ListImagesResponse } from '../proto.ts';

export const listImages: Handler<ListImagesRequest, ListImagesResponse> = async ({ engine, pulled }, { filter }, signal) => {
	const wanted = filter?.image?.image ?? '';
	if (wanted !== '') {
		const image = await engine.call<ImageInspect>({ method: 'GET', path: `/images/${wanted}/json`, signal }).catch(ignore('NotFound'));
		return { images: image === undefined ? [] : [criImage(image, image.Config?.User ?? '', !pulled.has(image.Id))] };
	}
	const images = await engine.call<readonly ImageSummary[]>({ method: 'GET', path: '/images/json', query: { digests: true }, signal });
	return { images: images.map((image) => criImage(image, '', !pulled.has(image.Id))) };
};
