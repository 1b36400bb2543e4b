/**
 * Which node ports a Service takes, and which it gives back. Pure but for the numbers, which it fills in. As upstream's allocator (initNodePorts, updateNodePorts): a
 * new Service takes a number for each of its ports, ports of one number in several protocols sharing it; a changed one takes what it has not had yet.
 */
import { invalidValue } from '../../../api/field-error.ts';
import type { Service, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { internalError, unknownFailure } from '../../../api/status.ts';
import { refused } from './refused.ts';

export interface PortSource {
	/** Undefined: it is taken now. Else why it cannot be had. */
	readonly take: (port: number) => string | undefined;
	/** Takes any; undefined: there are none. */
	readonly any: () => number | undefined;
	readonly release: (port: number) => void;
}

export function choosePorts(service: Service & KubeObject, before: ServiceSpec | undefined, source: PortSource): void {
	const spec = service.spec as ServiceSpec;
	if (isOpen(spec))
		if (before === undefined) firstPorts(service, source);
		else changedPorts(service, before, source);
	if (needsHealthCheck(spec) && !needsHealthCheck(before)) healthCheckPort(spec, source);
	const kept = new Set(heldPorts(spec));
	for (const port of heldPorts(before)) if (!kept.has(port)) source.release(port);
}

/** Whether there is anything to take or to give back. */
export function usesPorts(spec: ServiceSpec | undefined): boolean {
	return isOpen(spec) || needsHealthCheck(spec);
}

/** Other types may name ports as well, which were never taken for them: they may be somebody else's. */
export function heldPorts(spec: ServiceSpec | undefined): readonly number[] {
	const ofHealthChecks = needsHealthCheck(spec) ? (spec?.healthCheckNodePort ?? 0) : 0;
	return [...heldNodePorts(spec), ofHealthChecks].filter((port) => port !== 0);
}

function firstPorts(service: Service & KubeObject, source: PortSource): void {
	const spec = service.spec as ServiceSpec;
	const ports = spec.ports ?? [];
	/** By the number of the service's port. */
	const chosen = new Map<number | undefined, number>();
	/** Of those, what the first asks for that asks for anything. */
	const asks = new Map(ports.toReversed().flatMap(({ port, nodePort = 0 }) => (nodePort === 0 ? [] : [[port, nodePort] as const])));
	for (const [i, port] of ports.entries()) {
		const asked = port.nodePort ?? 0;
		if (asked === 0 && !isFilledIn(spec)) continue;
		const known = chosen.get(port.port);
		if (known !== undefined) {
			if (asked === 0) port.nodePort = known;
			else if (asked !== known) take(service, i, asked, source);
			continue;
		}
		const wanted = asks.get(port.port);
		if (wanted !== undefined) take(service, i, wanted, source);
		port.nodePort = wanted ?? anyPort(source);
		chosen.set(port.port, port.nodePort);
	}
}

function changedPorts(service: Service & KubeObject, before: ServiceSpec, source: PortSource): void {
	const spec = service.spec as ServiceSpec;
	const had = new Set(heldNodePorts(before));
	/** "TCP 30080": these are in use once each. */
	const seen = new Set<string>();
	for (const [i, port] of (spec.ports ?? []).entries()) {
		const asked = port.nodePort ?? 0;
		if (asked === 0 && !isFilledIn(spec)) continue;
		if (asked === 0) port.nodePort = anyPort(source);
		else if (!had.has(asked)) {
			take(service, i, asked, source);
			had.add(asked);
		}
		const use = `${port.protocol ?? ''} ${port.nodePort}`;
		if (seen.has(use)) throw unknownFailure(`duplicate nodePort: {${use}}`);
		seen.add(use);
	}
}

function healthCheckPort(spec: ServiceSpec, source: PortSource): void {
	const asked = spec.healthCheckNodePort ?? 0;
	if (asked === 0) {
		const free = source.any();
		if (free === undefined) throw internalError('failed to allocate a HealthCheck NodePort : range is full');
		spec.healthCheckNodePort = free;
		return;
	}
	const why = source.take(asked);
	if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
}

function take(service: KubeObject, i: number, port: number, source: PortSource): void {
	const why = source.take(port);
	if (why !== undefined) throw refused(service, [invalidValue(`spec.ports[${i}].nodePort`, port, why)]);
}

function anyPort(source: PortSource): number {
	const free = source.any();
	if (free === undefined) throw internalError('failed to allocate a nodePort: range is full');
	return free;
}

function heldNodePorts(spec: ServiceSpec | undefined): readonly number[] {
	if (!isOpen(spec)) return [];
	return (spec?.ports ?? []).map((port) => port.nodePort ?? 0).filter((port) => port !== 0);
}

function isOpen(spec: ServiceSpec | undefined): boolean {
	return spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
}

/** Numbers that nobody asked for are not given to balancers that do without. */
function isFilledIn(spec: ServiceSpec): boolean {
	return spec.type === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false;
}

function needsHealthCheck(spec: ServiceSpec | undefined): boolean {
	return spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
