/** PodSandboxStatus: the sandbox, and all its containers beside it. */
import type { Handler } from '../context.ts';
import { containerStatus } from '../convert/container-status.ts';
import { sandboxStatus } from '../convert/sandbox-status.ts';
import type { PodSandboxStatusRequest, PodSandboxStatusResponse } from '../proto.ts';

export const podSandboxStatus: Handler<PodSandboxStatusRequest, PodSandboxStatusResponse> = async (
	{ state, clock },
	{ podSandboxId, verbose },
) => {
	const sandbox = await state.sandbox(podSandboxId);
	const containers = await state.containers(sandbox.record.id);
	return {
		status: sandboxStatus(sandbox),
		info: verbose
			? {
					info: JSON.stringify({
						pid: sandbox.live.state === 'running' ? sandbox.live.pid : 0,
						name: sandbox.record.name,
						address: sandbox.record.address,
					}),
				}
			: {},
		containersStatuses: containers.map(containerStatus),
		timestamp: BigInt(clock.now()) * 1_000_000n,
	};
};
