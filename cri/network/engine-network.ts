/** A network of the engine itself: what is left where the engine is rootless, since nobody outside may enter its namespaces. */
import type { PortMapping } from '../proto.ts';
import type { ContainerInspect, CreateBody } from '../engine/types.ts';
import type { EngineAddress } from '../state/records.ts';
import type { MadePod, Namespace, PodNetwork } from './pod-network.ts';
import { transportOf } from './rules.ts';

/** The network that every engine has. */
export const ENGINE_NETWORK = 'bridge';

export class EngineNetwork implements PodNetwork<EngineAddress> {
	async start(): Promise<void> {}

	reserve(): EngineAddress {
		return { kind: 'engine', ips: [] };
	}

	/** The engine connected the sandbox when it started it. */
	async attach(_pod: MadePod, { engineIps }: Namespace): Promise<EngineAddress> {
		return { kind: 'engine', ips: engineIps };
	}

	/** The engine does it when the sandbox ends. */
	async detach(): Promise<void> {}

	async problem(): Promise<undefined> {
		return undefined;
	}

	async stop(): Promise<void> {}
}

/** What the engine is told of the host ports. Pure. */
export function enginePorts(
	mappings: readonly PortMapping[],
): Pick<CreateBody, 'ExposedPorts'> & Pick<CreateBody['HostConfig'], 'PortBindings'> {
	const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
	for (const port of mappings) {
		const transport = transportOf(port);
		if (port.hostPort <= 0 || transport === undefined) continue;
		(bindings[`${port.containerPort}/${transport}`] ??= []).push({ HostIp: port.hostIp, HostPort: String(port.hostPort) });
	}
	return { ExposedPorts: Object.fromEntries(Object.keys(bindings).map((key) => [key, {}])), PortBindings: bindings };
}

/** Addresses in an inspect answer, IPv4 first. Pure. */
export function engineIps({ NetworkSettings }: Pick<ContainerInspect, 'NetworkSettings'>): readonly string[] {
	const networks = Object.values(NetworkSettings?.Networks ?? {});
	return networks
		.slice(0, 1)
		.flatMap((n) => [n?.IPAddress, n?.GlobalIPv6Address])
		.filter((ip): ip is string => ip !== undefined && ip !== '');
}
