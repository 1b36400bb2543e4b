/** RemoveContainer: kills it if it runs. Gone already is success; the CRI log file stays, it is the kubelet's. */
import { removeContainer as remove } from '../engine/containers.ts';
import type { Context, Handler } from '../context.ts';
import { ContainerEventType, type RemoveContainerRequest, type RemoveContainerResponse } from '../proto.ts';
import type { ContainerRecord } from '../state/records.ts';

export const removeContainer: Handler<RemoveContainerRequest, RemoveContainerResponse> = async (context, { containerId }, signal) => {
	const container = context.state.peekContainer(containerId);
	if (container !== undefined) await deleteContainer(context, container.record, signal);
	return {};
};

/** Removes one container from the engine, the checkpoint and memory. What a crash interrupts is finished at the next start, which keeps none without a record. */
export async function deleteContainer(
	{ engine, state, checkpoint, imageVolumes, logs, events, clock }: Context,
	record: ContainerRecord,
	signal: AbortSignal,
): Promise<void> {
	await Promise.all([remove(engine, record.id, clock, signal), checkpoint.removeContainer(record.name)]);
	await imageVolumes.release(record.name);
	state.deleteContainer(record.id);
	logs.forget(record.id);
	events.emit({
		containerId: record.id,
		sandboxId: record.sandboxId,
		type: ContainerEventType.CONTAINER_DELETED_EVENT,
		atNanos: BigInt(clock.now()) * 1_000_000n,
	});
}
