/** UpdateContainerResources: new limits for a container that may run; what is zero or empty stays as it is. */
import { checkLimits } from '../../host/cgroup-limits.ts';
import type { Handler } from '../context.ts';
import { hostResources, mergeResources } from '../convert/resources.ts';
import { extraLimits, setExtraLimits, setOomScoreAdj } from '../extra-limits.ts';
import type { UpdateContainerResourcesRequest, UpdateContainerResourcesResponse } from '../proto.ts';

export const updateContainerResources: Handler<UpdateContainerResourcesRequest, UpdateContainerResourcesResponse> = async (
	{ state, engine, host, checkpoint },
	{ containerId, linux },
	signal,
) => {
	const { record, live } = await state.container(containerId);
	if (linux === undefined) return {};
	checkLimits(extraLimits(linux), host.cgroupVersion);
	const { OomScoreAdj, ...body } = hostResources(linux, host);
	try {
		if (Object.keys(body).length > 0) await engine.call<unknown>({ method: 'POST', path: `/containers/${record.id}/update`, body, signal });
		if (live.state === 'running') {
			await setExtraLimits(live.pid, linux);
			if (OomScoreAdj !== undefined) await setOomScoreAdj(live.pid, OomScoreAdj);
		}
		// What the engine does not keep is kept here, for status and for the next start.
		const { config } = record;
		const resources = mergeResources(config.linux?.resources, linux);
		const changed = {
			...record,
			config: { ...config, linux: { securityContext: undefined, ...config.linux, resources } },
			...(OomScoreAdj === undefined ? {} : { oomScoreAdj: OomScoreAdj }),
		};
		await checkpoint.saveContainer(changed);
		state.replaceContainer(changed);
	} finally {
		state.touch(record.id);
	}
	return {};
};
