/** Status: whether pods can be run, and what this host lacks. */
import type { Handler } from '../context.ts';
import { messageOf } from '../../base/errors.ts';
import type { StatusRequest, StatusResponse } from '../proto.ts';

export const status: Handler<StatusRequest, StatusResponse> = async ({ engine, host, network, instance }, { verbose }, signal) => {
	const engineProblem = await engine.call<unknown>({ method: 'GET', path: '/_ping', signal }).then(
		() => '',
		(error: unknown) => messageOf(error),
	);
	const networkProblem = (await network.problem()) ?? '';
	const features = { recursiveReadOnlyMounts: host.recursiveReadOnly, userNamespaces: false };
	return {
		status: {
			conditions: [
				{
					type: 'RuntimeReady',
					status: engineProblem === '',
					reason: engineProblem === '' ? '' : 'EngineUnreachable',
					message: engineProblem,
				},
				{
					type: 'NetworkReady',
					status: networkProblem === '',
					reason: networkProblem === '' ? '' : 'NetworkPluginNotReady',
					message: networkProblem,
				},
			],
		},
		info: verbose
			? {
					config: JSON.stringify({
						instance,
						...network.describe(),
						engine: engine.engineVersion,
						api: engine.apiVersion,
					}),
					limits: JSON.stringify({ missingCapabilities: host.missingCapabilities, lowestOomScoreAdj: host.lowestOomScoreAdj }),
				}
			: {},
		runtimeHandlers: [{ name: '', features }, ...host.runtimes.filter((r) => !r.includes('.')).map((name) => ({ name, features }))],
		features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
	};
};
