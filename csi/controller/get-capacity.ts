/** GetCapacity: what the pool can still promise. */
import { readCapabilities } from '../capability.ts';
import type { Handler } from '../context.ts';
import { readParameters } from '../parameters.ts';
import type { GetCapacityRequest, GetCapacityResponse } from '../proto.ts';
import { poolTopology, reaches } from '../topology.ts';

export const getCapacity: Handler<GetCapacityRequest, GetCapacityResponse> = async (context, request) => {
	const capabilities = request.volumeCapabilities.length === 0 ? [] : readCapabilities(request.volumeCapabilities);
	const { backend: asked } = readParameters(request.parameters);
	const { accessibleTopology: topology } = request;
	const access = capabilities[0]?.access;
	const block = access?.kind === 'block';
	const { available } = context.backends;
	const backend = available.find((b) => b.kind === (asked ?? (block ? 'loop' : available[0]?.kind)));
	const elsewhere = topology !== undefined && !reaches(topology, poolTopology(context.options.driverName, context.poolId));
	if (backend === undefined || elsewhere || (block && backend.kind !== 'loop'))
		return { availableCapacity: 0n, maximumVolumeSize: undefined, minimumVolumeSize: undefined };
	const fsType = access?.kind === 'mount' ? (access.fsType ?? context.backends.fileSystems[0]) : context.backends.fileSystems[0];
	const { minBytes, maxBytes } = backend.limits({ access: block ? 'block' : 'mount', fsType });
	const free = await context.space.availableBytes();
	return {
		availableCapacity: BigInt(free),
		// Where sizes are not enforced none is refused.
		maximumVolumeSize: backend.enforcesSize ? BigInt(Math.min(free, maxBytes)) : undefined,
		minimumVolumeSize: BigInt(minBytes),
	};
};
