/** PullImage: answers the image's id. */
import { AppError, ignore, type ErrorCode } from '../../base/errors.ts';
import { lines } from '../../base/lines.ts';
import type { Context, Handler } from '../context.ts';
import type { ImageInspect } from '../engine/types.ts';
import { parseReference } from '../images/reference.ts';
import type { AuthConfig, PullImageRequest, PullImageResponse } from '../proto.ts';

export const pullImage: Handler<PullImageRequest, PullImageResponse> = async (context, { image, auth }, signal) => {
	const name = image?.image ?? '';
	if (name === '') throw new AppError('InvalidArgument', 'No image is named');
	const there = await inspect(context, name, signal);
	const { repository, version, isDigest } = parseReference(name);
	const response = await context.engine.stream({
		method: 'POST',
		path: '/images/create',
		query: { fromImage: isDigest ? `${repository}@${version}` : repository, tag: isDigest ? undefined : version },
		auth: engineAuth(auth),
		signal,
		timeoutMs: Number.POSITIVE_INFINITY, // the engine answers at its first progress, and a slow registry is no hang
	});
	for await (const line of lines(response as AsyncIterable<Buffer>)) checkProgress(name, line);
	const pulled = await inspect(context, name, signal);
	if (pulled === undefined) throw new AppError('NotFound', `The engine has no image "${name}" after pulling it`);
	// What was there before and has not changed is still the user's own.
	if (there?.Id !== pulled.Id) await context.pulled.add(pulled.Id);
	return { imageRef: pulled.Id };
};

function inspect({ engine }: Context, name: string, signal: AbortSignal): Promise<ImageInspect | undefined> {
	return engine.call<ImageInspect>({ method: 'GET', path: `/images/${name}/json`, signal }).catch(ignore('NotFound'));
}

/** Failures come in the stream, after HTTP 200. */
function checkProgress(image: string, line: string): void {
	if (!line.includes('"error"')) return;
	const { error = '' } = JSON.parse(line) as { error?: string };
	if (error === '') return;
	const code: ErrorCode = /not found|manifest unknown|does not exist/.test(error)
		? 'NotFound'
		: /unauthorized|denied/.test(error)
			? 'PermissionDenied'
			: 'Unknown';
	throw new AppError(code, `Cannot pull image "${image}": ${error}`);
}

/** The engine's X-Registry-Auth; `auth` is "user:password" in base64, as in .docker/config.json. */
function engineAuth(auth: AuthConfig | undefined): object | undefined {
	if (auth === undefined) return undefined;
	const decoded = auth.auth === '' ? '' : Buffer.from(auth.auth, 'base64').toString('utf8').replaceAll('\0', '');
	const colon = decoded.indexOf(':');
	return {
		username: auth.username || (colon < 0 ? '' : decoded.slice(0, colon)),
		password: auth.password || (colon < 0 ? '' : decoded.slice(colon + 1)),
		serveraddress: auth.serverAddress,
		identitytoken: auth.identityToken,
		registrytoken: auth.registryToken,
	};
}
