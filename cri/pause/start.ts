/** Makes and starts a sandbox's pause container. */
import { AppError, messageOf } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import { createContainer, startContainer } from '../engine/containers.ts';
import type { ContainerInspect, CreateBody } from '../engine/types.ts';

/**
 * Answers what the engine says of it once it runs. `bodyOf` takes the seccomp option; where the runtime does not get to its end under the pause
 * process's own profile, but under the engine's, that one is taken from then on.
 */
export async function startPause(
	context: Pick<Context, 'engine' | 'starts' | 'pauseProfile' | 'log'>,
	name: string,
	bodyOf: (profile: string | undefined) => CreateBody,
	signal: AbortSignal,
): Promise<ContainerInspect> {
	const { engine, pauseProfile, log } = context;
	const start = async (profile: string | undefined): Promise<string> => {
		const id = await createContainer(engine, name, bodyOf(profile), signal);
		await startContainer(context, id, signal);
		return id;
	};
	const id = await start(pauseProfile.option).catch(async (error: unknown) => {
		if (!pauseProfile.mayHaveFailed(error)) throw error;
		const second = await start(undefined);
		log.warn("the runtime needs more than the sandboxes' own seccomp profile allows: they have the engine's", { error: messageOf(error) });
		pauseProfile.giveUp();
		return second;
	});
	return running(await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${id}/json`, signal }));
}

function running(inspect: ContainerInspect): ContainerInspect {
	const { Running, Error, ExitCode } = inspect.State;
	if (!Running) throw new AppError('Internal', `The pause container of the sandbox ended at once: ${Error || `exit code ${ExitCode}`}`);
	return inspect;
}
