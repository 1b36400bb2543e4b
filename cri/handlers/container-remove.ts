/** RemoveContainer: kills it if it runs. Gone already is success; the CRI log file stays, it is the kubelet's. */
import { messageOf } from '../../base/errors.ts';
import { removeContainer as remove } from '../engine/containers.ts';
import type { Context, Handler } from '../context.ts';
import { ContainerEventType, type RemoveContainerRequest, type RemoveContainerResponse } from '../proto.ts';
import type { ContainerRecord } from '../state/records.ts';

export const removeContainer: Handler<RemoveContainerRequest, RemoveContainerResponse> = async (context, { containerId }, signal) => {
	const container = context.state.peekContainer(containerId);
	if (container !== undefined) await deleteContainer(context, container.record, signal);
	return {};
};

/**
 * Removes one container from the engine, the checkpoint and memory, in this order: what the engine did not remove keeps its record, or the next start would.
 * Nobody waits for the record's end: one that stands without a container is dropped at the next start.
 */
export async function deleteContainer(
	{ engine, state, checkpoint, imageVolumes, logs, events, clock, log }: Context,
	record: ContainerRecord,
	signal: AbortSignal,
): Promise<void> {
	await remove(engine, record.id, clock, signal);
	await imageVolumes.release(record.name);
	checkpoint.removeContainer(record.name).catch((error: unknown) => {
		log.warn('cannot remove the record of a container that is gone', { container: record.name, error: messageOf(error) });
	});
	state.deleteContainer(record.id);
	logs.forget(record.id);
	events.emit({
		containerId: record.id,
		sandboxId: record.sandboxId,
		type: ContainerEventType.CONTAINER_DELETED_EVENT,
		atNanos: BigInt(clock.now()) * 1_000_000n,
	});
}
