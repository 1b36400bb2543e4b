/** Looking at one image by any of its names. */
import { AppError, ignore } from '../../base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImageInspect } from '../engine/types.ts';

/** Ids, names, tags and digests consist of these; anything else would ask the engine something else. */
const REFERENCE = /^[a-zA-Z0-9][a-zA-Z0-9_.:@/+-]*$/;

/** What the engine says with code 500 of an image that goes at that very moment; the last where it looked it up and its layers were gone. */
const GOING = /unrecognized image ID|reference does not exist|layer does not exist/;

/** Undefined where the engine has no such image, also where it never could or has it no more in a moment. */
export async function inspectImage(engine: Engine, reference: string, signal?: AbortSignal): Promise<ImageInspect | undefined> {
	if (!isReference(reference)) return undefined;
	return engine
		.call<ImageInspect>({ method: 'GET', path: `/images/${reference}/json`, signal })
		.catch(ignore('InvalidArgument'))
		.catch(ignoreGone);
}

/** Throws NotFound where there is none. */
export async function mustInspectImage(engine: Engine, reference: string, signal?: AbortSignal): Promise<ImageInspect> {
	const image = await inspectImage(engine, reference, signal);
	if (image === undefined) throw new AppError('NotFound', `There is no image "${reference}"`);
	return image;
}

/** Rethrows all but that the image is gone, or going. */
export function ignoreGone(error: unknown): undefined {
	if (error instanceof AppError && (error.code === 'NotFound' || GOING.test(error.message))) return undefined;
	throw error;
}

/** Pure. No part may be empty, `.` or `..`: it would leave the engine's path of images, or be answered with a redirect. */
export function isReference(text: string): boolean {
	return REFERENCE.test(text) && !text.split('/').some((part) => part === '' || part === '.' || part === '..');
}
