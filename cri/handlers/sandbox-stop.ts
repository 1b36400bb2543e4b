/** StopPodSandbox: ends every process of the pod and gives its network back, all at once. Stopped or gone already is success. */
import { killContainer } from '../engine/containers.ts';
import type { Context, Handler } from '../context.ts';
import type { StopPodSandboxRequest, StopPodSandboxResponse } from '../proto.ts';
import type { SandboxRecord } from '../state/records.ts';

export const stopPodSandbox: Handler<StopPodSandboxRequest, StopPodSandboxResponse> = async (context, { podSandboxId }, signal) => {
	const sandbox = context.state.peekSandbox(podSandboxId);
	if (sandbox !== undefined) await stopSandbox(context, sandbox.record, signal);
	return {};
};

async function stopSandbox(context: Context, record: SandboxRecord, signal: AbortSignal): Promise<void> {
	const { state, engine, network } = context;
	const tracked = [...(await state.containers(record.id)), await state.sandbox(record.id)];
	const running = tracked.filter((t) => t.live.state === 'running').map((t) => t.record.id);
	await Promise.all([
		...running.map(async (id) => {
			await killContainer(engine, id, signal);
			state.touch(id);
		}),
		record.address === undefined ? undefined : network.detach(record.address),
	]);
}
