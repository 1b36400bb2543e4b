/** The sockets of an agent that others on the machine call: device plugins that register, and readers of the pods' resources. */
import type { Pod } from '../../api/gen/types.ts';
import { aborted } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import type { GrpcServer } from '../../wire/grpc/server.ts';
import type { AgentContext } from '../context.ts';
import { serveRegistration } from '../device/registration.ts';
import { servePodResources } from '../pod-resources/serve.ts';
import { devicePluginsFolder } from './of-agent.ts';

/** Until the signal aborts. A socket that cannot be made does not keep pods from running. */
export async function servePlacement(context: AgentContext, pods: () => readonly Pod[], signal: AbortSignal): Promise<void> {
	const { options, placed, clock, log, figures } = context;
	const { rootDir } = options;
	if (options.pluginSockets !== true) return;
	const opened = await Promise.allSettled([
		serveRegistration(devicePluginsFolder(rootDir), placed.devices, clock, log, signal),
		servePodResources({ rootDir, pods, given: context, figures: figures.podResources, clock, log }),
	]);
	const servers: GrpcServer[] = [];
	for (const result of opened)
		if (result.status === 'fulfilled') servers.push(result.value);
		else log.error('cannot serve a socket of the agent', { reason: messageOf(result.reason) });
	await aborted(signal);
	await Promise.all(servers.map((server) => server.stop()));
}
