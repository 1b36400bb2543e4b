/** Which pod has which port of the host: two that want the same one are told before anything is made. */
import { AppError } from '../../base/errors.ts';
import type { PortMapping } from '../proto.ts';
import { bracketed, familyOf } from '../../base/ip.ts';
import { transportOf } from './rules.ts';

interface Claim {
	readonly pod: string;
	readonly label: string;
	readonly port: PortMapping;
}

export class HostPorts {
	readonly #claims = new Map<string, readonly Claim[]>();

	/** Throws AlreadyExists, naming both pods, where another pod has one of the ports; then none is taken. The same pod may claim again. */
	claim(pod: string, label: string, ports: readonly PortMapping[]): void {
		const wanted = ports.filter((p) => p.hostPort > 0).map((port) => ({ pod, label, port }));
		for (const { port } of wanted) {
			const other = [...this.#claims.values()].flat().find((c) => c.pod !== pod && collide(c.port, port));
			if (other === undefined) continue;
			const where = `${port.hostIp === '' ? '' : `${bracketed(port.hostIp)}:`}${port.hostPort}/${transportOf(port)?.toUpperCase() ?? 'unknown'}`;
			throw new AppError('AlreadyExists', `Cannot open host port ${where} for pod "${label}": pod "${other.label}" has it`);
		}
		if (wanted.length > 0) this.#claims.set(pod, wanted);
	}

	/** Nothing there is success. */
	release(pod: string): void {
		this.#claims.delete(pod);
	}
}

/** Pure: the same port of the same protocol, on the same address or on all. */
function collide(a: PortMapping, b: PortMapping): boolean {
	if (a.hostPort !== b.hostPort || a.protocol !== b.protocol) return false;
	if (a.hostIp === '' || b.hostIp === '' || a.hostIp === b.hostIp) return true;
	return familyOf(a.hostIp) === familyOf(b.hostIp) && (isAny(a.hostIp) || isAny(b.hostIp));
}

function isAny(hostIp: string): boolean {
	return hostIp === '0.0.0.0' || hostIp === '::';
}
