/** ImageStatus: no image in the answer where there is none. */
import type { Handler } from '../context.ts';
import { criImage } from '../convert/image.ts';
import { inspectImage } from '../images/inspect.ts';
import type { ImageStatusRequest, ImageStatusResponse } from '../proto.ts';

export const imageStatus: Handler<ImageStatusRequest, ImageStatusResponse> = async ({ engine, pulled }, { image, verbose }, signal) => {
	const found = await inspectImage(engine, image?.image ?? '', signal);
	if (found === undefined) return { image: undefined, info: {} };
	return {
		image: criImage(found, found.Config?.User ?? '', !pulled.has(found.Id)),
		info: verbose ? { info: JSON.stringify({ id: found.Id, config: found.Config }) } : {},
	};
};
