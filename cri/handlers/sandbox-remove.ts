/** RemovePodSandbox: removes the sandbox with its containers, stopping what runs. Gone already is success. */
import { removeContainer } from '../engine/containers.ts';
import type { Handler } from '../context.ts';
import { ContainerEventType, type RemovePodSandboxRequest, type RemovePodSandboxResponse } from '../proto.ts';
import { removeSandboxFiles } from '../sandbox-files.ts';
import { deleteContainer } from './container-remove.ts';

export const removePodSandbox: Handler<RemovePodSandboxRequest, RemovePodSandboxResponse> = async (context, { podSandboxId }, signal) => {
	const { state, engine, network, checkpoint, options, clock, events } = context;
	const sandbox = state.peekSandbox(podSandboxId);
	if (sandbox === undefined) return {};
	const { record } = sandbox;
	await Promise.all([
		...state.containerRecords(record.id).map((c) => deleteContainer(context, c, signal)),
		network.release(record, () => removeContainer(engine, record.id, clock, signal)),
	]);
	await Promise.all([checkpoint.removeSandbox(record.name), removeSandboxFiles(options.dataDir, record.name)]);
	state.deleteSandbox(record.id);
	events.emit({
		containerId: record.id,
		sandboxId: record.id,
		type: ContainerEventType.CONTAINER_DELETED_EVENT,
		atNanos: BigInt(clock.now()) * 1_000_000n,
	});
	return {};
};
