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
	const [{ live }, containers] = await Promise.all([state.sandbox(record.id), state.containers(record.id)]);
	const running = containers.filter((t) => t.live.state === 'running').map((t) => t.record.id);
	const kill = async (id: string): Promise<void> => {
		await killContainer(engine, id, signal);
		state.touch(id);
	};
	const pid = live.state === 'running' ? live.pid : undefined;
	await Promise.all([
		...running.map(kill),
		network.release(record, async () => {
			if (pid !== undefined) await kill(record.id);
		}),
	]);
}
