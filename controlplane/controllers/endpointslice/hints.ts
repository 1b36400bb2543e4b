/** Hints for proxies: which endpoints those of a zone or node are to prefer (spec.trafficDistribution). Pure; upstream's endpointslice/trafficdist. */
import type { Endpoint, EndpointHints, Service } from '../../../api/gen/types.ts';

/** "PreferClose" is the older name of "PreferSameZone"; a node's own endpoints are preferred to those of its zone. */
const CLOSE = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);
/** The first wins. With "Auto" zones would share by their CPUs; such a service has none of these hints. */
const TOPOLOGY_MODES = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'] as const;

/** Undefined where the service asks for none, the endpoint is not ready, or nobody knows where it is. */
export function hintsOf(
	{ metadata, spec }: Service,
	{ zone, nodeName, conditions }: Pick<Endpoint, 'zone' | 'nodeName' | 'conditions'>,
): EndpointHints | undefined {
	const preference = spec?.trafficDistribution ?? '';
	const [mode] = TOPOLOGY_MODES.flatMap((name) => metadata.annotations?.[name] ?? []);
	if (!CLOSE.has(preference) || mode === 'Auto' || mode === 'auto' || conditions?.ready !== true) return undefined;
	const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] };
	const forNodes = nodeName === undefined || preference !== 'PreferSameNode' ? {} : { forNodes: [{ name: nodeName }] };
	const hints = { ...forZones, ...forNodes };
	return Object.keys(hints).length === 0 ? undefined : hints;
}
