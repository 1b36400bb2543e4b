/** ListImages. An image that this cluster did not pull is the user's own, and pinned: nobody collects it. */
import type { Handler } from '../context.ts';
import { criImage } from '../convert/image.ts';
import type { ImageSummary } from '../engine/types.ts';
import { inspectImage } from '../images/inspect.ts';
import type { ListImagesRequest, ListImagesResponse } from '../proto.ts';

export const listImages: Handler<ListImagesRequest, ListImagesResponse> = async ({ engine, pulled, imageConfigs }, { filter }, signal) => {
	const wanted = filter?.image?.image ?? '';
	if (wanted !== '') {
		const image = await inspectImage(engine, wanted, signal);
		return { images: image === undefined ? [] : [criImage(image, image.Config?.User ?? '', !pulled.has(image.Id))] };
	}
	const images = await engine.call<readonly ImageSummary[]>({ method: 'GET', path: '/images/json', query: { digests: true }, signal });
	return {
		images: await Promise.all(
			images.map(async (image) => criImage(image, await imageConfigs.user(image.Id, signal), !pulled.has(image.Id))),
		),
	};
};
