/** PullImage: answers the image's id. */
import { AppError } from '../../base/errors.ts';
import type { Handler } from '../context.ts';
import { engineAuth } from '../images/credentials.ts';
import { inspectImage, isReference } from '../images/inspect.ts';
import { followPull, pullError, PULL_PROGRESS_TIMEOUT_MS } from '../images/pull-progress.ts';
import { parseReference } from '../images/reference.ts';
import type { PullImageRequest, PullImageResponse } from '../proto.ts';

export const pullImage: Handler<PullImageRequest, PullImageResponse> = async (context, { image, auth }, signal) => {
	const { engine, clock, pulled, imageConfigs } = context;
	const name = image?.image ?? '';
	if (!isReference(name)) throw new AppError('InvalidArgument', name === '' ? 'No image is named' : `"${name}" is no name of an image`);
	const there = await inspectImage(engine, name, signal);
	const { repository, version, isDigest } = parseReference(name);
	const timeoutMs = context.options.imagePullProgressMs ?? PULL_PROGRESS_TIMEOUT_MS;
	const request = {
		method: 'POST',
		path: '/images/create',
		query: { fromImage: isDigest ? `${repository}@${version}` : repository, tag: isDigest ? undefined : version },
		auth: engineAuth(auth),
		timeoutMs,
	} as const;
	await followPull(
		name,
		async (bounded) =>
			engine.stream({ ...request, signal: bounded }).catch((error: unknown) => {
				// Some engines answer a refusal at once, with the registry's words.
				throw error instanceof AppError && !bounded.aborted ? pullError(name, error.message) : error;
			}),
		{ clock, timeoutMs, signal },
	);
	const got = await imageConfigs.look(name, signal);
	if (got === undefined) throw new AppError('NotFound', `The engine has no image "${name}" after pulling it`);
	// What was there before and has not changed is still the user's own.
	if (there?.Id !== got.Id) await pulled.add(got.Id);
	return { imageRef: got.Id };
};
