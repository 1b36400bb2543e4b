/** ImageStatus: no image in the answer where there is none. */
import { ignore } from '../../base/errors.ts';
import type { Handler } from '../context.ts';
import { criImage } from '../convert/image.ts';
import type { ImageInspect } from '../engine/types.ts';
import type { ImageStatusRequest, ImageStatusResponse } from '../proto.ts';

export const imageStatus: Handler<ImageStatusRequest, ImageStatusResponse> = async ({ engine, pulled }, { image, verbose }, signal) => {
	const name = image?.image ?? '';
	if (name === '') return { image: undefined, info: {} };
	const found = await engine
		.call<ImageInspect>({ method: 'GET', path: `/images/${name}/json`, signal })
		.catch(ignore('NotFound', 'InvalidArgument'));
	if (found === undefined) return { image: undefined, info: {} };
	return {
		image: criImage(found, found.Config?.User ?? '', !pulled.has(found.Id)),
		info: verbose ? { info: JSON.stringify({ id: found.Id, config: found.Config }) } : {},
	};
};
