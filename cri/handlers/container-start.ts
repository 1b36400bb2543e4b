/** StartContainer. */
import type { Handler } from '../context.ts';
import { ContainerEventType, type StartContainerRequest, type StartContainerResponse } from '../proto.ts';

export const startContainer: Handler<StartContainerRequest, StartContainerResponse> = async (
	{ state, engine, logs, events, clock },
	{ containerId },
	signal,
) => {
	const { record } = await state.container(containerId);
	await logs.attached(record.id, record.logPath, record.config.tty);
	try {
		await engine.call<undefined>({ method: 'POST', path: `/containers/${record.id}/start`, signal });
	} finally {
		state.touch(record.id);
	}
	events.emit({
		containerId: record.id,
		sandboxId: record.sandboxId,
		type: ContainerEventType.CONTAINER_STARTED_EVENT,
		atNanos: BigInt(clock.now()) * 1_000_000n,
	});
	return {};
};
