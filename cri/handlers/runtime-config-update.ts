/** UpdateRuntimeConfig: the pod network that the control plane gave this node. Ours stands from the start, so a change only takes effect at the next one. */
import type { Handler } from '../context.ts';
import type { UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse } from '../proto.ts';

export const updateRuntimeConfig: Handler<UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse> = async (
	{ network, log },
	{ runtimeConfig },
) => {
	const wanted = runtimeConfig?.networkConfig?.podCidr ?? '';
	if (wanted !== '' && wanted !== network.subnet)
		log.warn('the pod network is fixed while the shim runs', { wanted, have: network.subnet });
	return {};
};
