/** Makes and starts a sandbox's pause container. */
import { AppError } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import { createContainer, startContainer } from '../engine/containers.ts';
import type { ContainerInspect, CreateBody } from '../engine/types.ts';
import { onlyProcess } from './only-process.ts';

export interface StartedPause {
	readonly id: string;
	readonly pid: number;
	/** What the engine says of it, where it was asked. */
	readonly inspect: ContainerInspect | undefined;
}

/** The engine is asked for what it alone knows: addresses on a network of its own, and the process where that is not found. */
export async function startPause(
	context: Pick<Context, 'engine' | 'starts' | 'host'>,
	name: string,
	body: CreateBody,
	signal: AbortSignal,
): Promise<StartedPause> {
	const { engine, host } = context;
	const id = await createContainer(engine, name, body, signal);
	await startContainer(context, id, signal);
	const { HostConfig, NetworkDisabled = false } = body;
	const isUsual = HostConfig.Runtime === undefined && (NetworkDisabled || HostConfig.NetworkMode === 'host');
	const pid = isUsual ? onlyProcess(id, HostConfig.CgroupParent ?? '', host) : undefined;
	if (pid !== undefined) return { id, pid, inspect: undefined };
	const inspect = running(await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${id}/json`, signal }));
	return { id, pid: inspect.State.Pid, inspect };
}

function running(inspect: ContainerInspect): ContainerInspect {
	const { Running, Error, ExitCode } = inspect.State;
	if (!Running) throw new AppError('Internal', `The pause container of the sandbox ended at once: ${Error || `exit code ${ExitCode}`}`);
	return inspect;
}
