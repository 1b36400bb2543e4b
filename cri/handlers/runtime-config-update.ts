/** UpdateRuntimeConfig: the range of pod addresses that the control plane gave this node. Pods that run keep theirs. */
import type { Handler } from '../context.ts';
import { saveSubnet } from '../instance.ts';
import { formatSubnets, parseSubnets } from '../network/subnet.ts';
import type { UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse } from '../proto.ts';

export const updateRuntimeConfig: Handler<UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse> = async (
	{ network, options, instance, log },
	{ runtimeConfig },
) => {
	const wanted = runtimeConfig?.networkConfig?.podCidr ?? '';
	if (wanted === '' || wanted === network.subnet) return {};
	if (options.podSubnet !== undefined) {
		log.warn('the pod network is fixed by the configuration', { wanted, have: network.subnet });
		return {};
	}
	const subnets = formatSubnets(parseSubnets(wanted));
	await saveSubnet(options, instance, subnets);
	await network.use(subnets);
	return {};
};
