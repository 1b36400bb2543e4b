/** The variables that name the services of a namespace, as container links once did. Pure. */
import { hostPort } from '../../base/host-port.ts';
import type { Service } from '../../api/gen/types.ts';

export function serviceVariables(services: readonly Service[]): Record<string, string> {
	const vars: Record<string, string> = {};
	for (const service of services) {
		const { clusterIP = '', ports = [] } = service.spec ?? {};
		if (clusterIP === '' || clusterIP === 'None' || ports.length === 0) continue;
		const name = variableName(service.metadata.name ?? '');
		vars[`${name}_SERVICE_HOST`] = clusterIP;
		for (const [i, port] of ports.entries()) {
			if (i === 0) vars[`${name}_SERVICE_PORT`] = String(port.port);
			if (port.name) vars[`${name}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
			const protocol = port.protocol ?? 'TCP';
			const url = `${protocol.toLowerCase()}://${hostPort(clusterIP, port.port)}`;
			if (i === 0) vars[`${name}_PORT`] = url;
			const prefix = `${name}_PORT_${port.port}_${protocol}`;
			vars[prefix] = url;
			vars[`${prefix}_PROTO`] = protocol.toLowerCase();
			vars[`${prefix}_PORT`] = String(port.port);
			vars[`${prefix}_ADDR`] = clusterIP;
		}
	}
	return vars;
}

function variableName(name: string): string {
	return name.replaceAll('-', '_').toUpperCase();
}
