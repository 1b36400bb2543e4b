/** ImageStatus: no image in the answer where there is none. */
import type { Handler } from '../context.ts';
import { criImage } from '../convert/image.ts';
import type { ImageStatusRequest, ImageStatusResponse } from '../proto.ts';

export const imageStatus: Handler<ImageStatusRequest, ImageStatusResponse> = async (
	{ imageConfigs, pulled },
	{ image, verbose },
	signal,
) => {
	const found = await imageConfigs.look(image?.image ?? '', signal);
	if (found === undefined) return { image: undefined, info: {} };
	return {
		image: criImage(found, found.Config?.User ?? '', !pulled.has(found.Id)),
		info: verbose ? { info: JSON.stringify({ id: found.Id, config: found.Config }) } : {},
	};
};
