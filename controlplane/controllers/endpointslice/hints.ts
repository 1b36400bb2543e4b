/** Hints for proxies: which endpoints those of a zone or node are to prefer (spec.trafficDistribution). Pure; upstream's endpointslice/trafficdist. */
import type { Endpoint, EndpointHints, Service } from '../../../api/gen/types.ts';

/** "PreferClose" is the older name of "PreferSameZone"; a node's own endpoints are preferred to those of its zone. */
const CLOSE = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);
/** The first wins. */
const TOPOLOGY_MODES = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'] as const;

/** Undefined where the service asks for none, the endpoint is not ready, or nobody knows where it is. */
export function hintsOf(
	service: Service,
	{ zone, nodeName, conditions }: Pick<Endpoint, 'zone' | 'nodeName' | 'conditions'>,
): EndpointHints | undefined {
	const preference = service.spec?.trafficDistribution ?? '';
	if (!CLOSE.has(preference) || sharesZones(service) || conditions?.ready !== true) return undefined;
	const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] };
	const forNodes = nodeName === undefined || preference !== 'PreferSameNode' ? {} : { forNodes: [{ name: nodeName }] };
	const hints = { ...forZones, ...forNodes };
	return Object.keys(hints).length === 0 ? undefined : hints;
}

/** Whether zones share the service's endpoints by their CPUs; it has none of the hints above then. */
export function sharesZones({ metadata }: Service): boolean {
	const [mode] = TOPOLOGY_MODES.flatMap((name) => metadata.annotations?.[name] ?? []);
	return mode === 'Auto' || mode === 'auto';
}
