/** UpdateContainerResources: new limits for a container that may run. */
import type { Handler } from '../context.ts';
import { hostResources } from '../convert/resources.ts';
import type { UpdateContainerResourcesRequest, UpdateContainerResourcesResponse } from '../proto.ts';

export const updateContainerResources: Handler<UpdateContainerResourcesRequest, UpdateContainerResourcesResponse> = async (
	{ state, engine, host },
	{ containerId, linux },
	signal,
) => {
	const { record } = await state.container(containerId);
	const { OomScoreAdj: _fixedAtStart, ...body } = hostResources(linux, host);
	if (Object.keys(body).length === 0) return {};
	try {
		await engine.call<unknown>({ method: 'POST', path: `/containers/${record.id}/update`, body, signal });
	} finally {
		state.touch(record.id);
	}
	return {};
};
