/** CheckpointContainer: the container's memory and processes as an archive, by the engine's experimental checkpoints (CRIU). It runs on. */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { runCommand } from '../../host/command.ts';
import type { Context, Handler } from '../context.ts';
import { type CheckpointContainerRequest, type CheckpointContainerResponse, ContainerConfig } from '../proto.ts';

export const checkpointContainer: Handler<CheckpointContainerRequest, CheckpointContainerResponse> = async (
	context,
	{ containerId, location, timeout },
	signal,
) => {
	const { record, live } = await context.state.container(containerId);
	if (live.state !== 'running') throw new AppError('FailedPrecondition', `Container "${record.id}" does not run`);
	if (!context.host.experimental)
		throw new AppError('Unimplemented', 'Cannot checkpoint containers: the experimental features of Docker Engine are off');
	if (!isAbsolute(location)) throw new AppError('InvalidArgument', `Cannot write a checkpoint to "${location}": the path is not absolute`);
	const dir = join(context.options.dataDir, `checkpoint-${randomBytes(6).toString('hex')}`);
	using deadline = timeout > 0n ? withDeadline(context.clock, Number(timeout) * 1000, 'The checkpoint', signal) : undefined;
	try {
		await mkdir(dir, { recursive: true, mode: 0o700 });
		await dump(context, record.id, dir, deadline?.signal ?? signal);
		await writeFile(
			join(dir, 'config.json'),
			JSON.stringify({ id: record.id, imageId: record.imageId, image: record.config.image?.image ?? '' }),
		);
		await writeFile(join(dir, 'container-config.pb'), ContainerConfig.encode(record.config).finish());
		await mkdir(dirname(location), { recursive: true });
		const unfinished = `${location}.${randomBytes(4).toString('hex')}`;
		await runCommand('tar', ['-C', dir, '-cf', unfinished, '.']);
		await rename(unfinished, location);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
	return {};
};

async function dump({ engine }: Context, id: string, dir: string, signal: AbortSignal): Promise<void> {
	const body = { CheckpointID: 'checkpoint', CheckpointDir: dir, Exit: false };
	await engine.call<undefined>({ method: 'POST', path: `/containers/${id}/checkpoints`, body, signal }).catch((error: unknown) => {
		if (signal.aborted) throw signal.reason;
		throw new AppError('FailedPrecondition', `Docker Engine cannot checkpoint container "${id}" (it needs CRIU): ${messageOf(error)}`, {
			cause: error,
		});
	});
}
