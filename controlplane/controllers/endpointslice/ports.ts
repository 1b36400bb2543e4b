/** The ports at which a pod serves a service: names of container ports become numbers. Pure. */
import type { Container, DiscoveryEndpointPort, Pod, Service, ServicePort } from '../../../api/gen/types.ts';

export type SlicePorts = readonly DiscoveryEndpointPort[];

/** Ports that the pod does not have are left out; a headless service without ports has none. */
export function portsOf(service: Service, pod: Pod): SlicePorts {
	return (service.spec?.ports ?? []).flatMap((port) => {
		const number = targetOf(port, pod);
		if (number === undefined) return [];
		const { name = '', protocol = 'TCP', appProtocol } = port;
		return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
	});
}

/** The same text for the same ports, whatever their order. */
export function portsKey(ports: SlicePorts): string {
	return ports
		.map((p) => JSON.stringify([p.name ?? '', p.port, p.protocol ?? 'TCP', p.appProtocol ?? '']))
		.sort()
		.join(' ');
}

function targetOf(port: ServicePort, pod: Pod): number | undefined {
	const target = port.targetPort;
	if (target === undefined || target === '' || target === 0) return port.port;
	if (typeof target === 'number') return target;
	if (/^\d+$/.test(target)) return Number(target);
	const sidecars: readonly Container[] = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always');
	for (const container of [...(pod.spec?.containers ?? []), ...sidecars])
		for (const own of container.ports ?? [])
			if (own.name === target && (own.protocol ?? 'TCP') === (port.protocol ?? 'TCP')) return own.containerPort;
	return undefined;
}
