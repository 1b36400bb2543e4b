/** The sandbox image: the static helper and nothing else, made locally through the engine's import, so that no registry is needed. */
import { createHash } from 'node:crypto';
import { AppError, ignore } from '../../base/errors.ts';
import { readText } from '../../base/lines.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImageInspect } from '../engine/types.ts';
import { pauseBinary } from '../network/helper.ts';
import { tar } from './tar.ts';

export const PAUSE_REPOSITORY = 'kubeling/pause';

/** Makes the image unless it is there; its tag says which helper is in it. Returns the image's name. */
export async function ensurePauseImage(engine: Engine, signal?: AbortSignal): Promise<string> {
	const binary = pauseBinary();
	const tag = createHash('sha256').update(binary).digest('hex').slice(0, 12);
	const name = `${PAUSE_REPOSITORY}:${tag}`;
	const there = await engine.call<ImageInspect>({ method: 'GET', path: `/images/${name}/json`, signal }).catch(ignore('NotFound'));
	if (there !== undefined) return name;
	const response = await engine.stream({
		method: 'POST',
		path: '/images/create',
		query: { fromSrc: '-', repo: PAUSE_REPOSITORY, tag, changes: 'ENTRYPOINT ["/pause"]' },
		archive: tar([{ name: 'pause', mode: 0o755, data: binary }]),
		signal,
	});
	const text = await readText(response as AsyncIterable<Buffer>);
	const failure = /"error":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
	if (failure !== undefined) throw new AppError('Internal', `Cannot make the pause image: ${failure}`);
	return name;
}
