/** Ports of the node that pods take, and when two of them clash (upstream scheduler HostPortInfo). Pure. */
import type { Pod } from '../gen/types.ts';

export interface HostPort {
	/** "0.0.0.0" is every address. */
	readonly ip: string;
	readonly protocol: string;
	readonly port: number;
}

/** Of containers and sidecars. */
export function hostPorts(pod: Pod): readonly HostPort[] {
	const sidecars = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always');
	return [...sidecars, ...(pod.spec?.containers ?? [])]
		.flatMap((container) => container.ports ?? [])
		.filter(({ hostPort = 0 }) => hostPort > 0)
		.map(({ hostIP = '', protocol = 'TCP', hostPort = 0 }) => ({ ip: hostIP === '' ? '0.0.0.0' : hostIP, protocol, port: hostPort }));
}

export function portsClash(a: HostPort, b: HostPort): boolean {
	return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
}
