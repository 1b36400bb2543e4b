/** EndpointSlices: nodes are named by a field, which older versions of the kind had among labels (upstream's dropTopologyOnV1). */
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { sameTyped } from '../../../api/same-typed.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import type { Draft, Strategy } from './strategy.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export const endpointSliceStrategy: Strategy = {
	generation: true,
	countsDropped: true,
	generationAlso: ({ metadata }) => metadata.labels ?? {},
	prepareForCreate: (object) => dropTopology(object, undefined),
	prepareForUpdate: dropTopology,
};

/** Labels stay as long as no endpoint is changed; then they go, and of those that were there before the node becomes the field. */
function dropTopology(object: Draft, old: Draft | undefined): void {
	const { endpoints } = object as unknown as EndpointSlice;
	const { endpoints: before } = (old ?? {}) as Partial<EndpointSlice>;
	if (old !== undefined && sameTyped('discovery/v1.EndpointSlice', { endpoints }, { endpoints: before })) return;
	const known = new Set((before ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[HOSTNAME] ?? ''));
	for (const endpoint of endpoints ?? []) {
		const node = endpoint.deprecatedTopology?.[HOSTNAME] ?? '';
		const isMissing = endpoint.nodeName === undefined || endpoint.nodeName === null;
		if (isMissing && node !== '' && known.has(node) && dnsSubdomain(node).length === 0) endpoint.nodeName = node;
		delete endpoint.deprecatedTopology;
	}
}
