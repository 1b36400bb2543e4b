/** ContainerStatus. One that has ended is answered when its log is whole. */
import type { Handler } from '../context.ts';
import { containerStatus as convert } from '../convert/container-status.ts';
import type { ContainerStatusRequest, ContainerStatusResponse } from '../proto.ts';

export const containerStatus: Handler<ContainerStatusRequest, ContainerStatusResponse> = async (
	{ state, logs },
	{ containerId, verbose },
) => {
	const container = await state.container(containerId);
	if (container.live.state === 'exited') await logs.finished(container.record.id);
	return {
		status: convert(container),
		info: verbose
			? {
					info: JSON.stringify({
						pid: container.live.state === 'running' ? container.live.pid : 0,
						sandboxID: container.record.sandboxId,
						name: container.record.name,
					}),
				}
			: {},
	};
};
