/** Extended resources that devices of a claim stand for: the scheduler makes it and says in the pod's status which request is for whom (upstream's DRAExtendedResource). Pure. */
import type { Container, Pod } from '../../api/gen/types.ts';
import { amountOf } from '../pod/amounts.ts';

/** The name of the claim; undefined where the pod has none. */
export function extendedClaimOf({ status }: Pod): string | undefined {
	return status?.extendedResourceClaimStatus?.resourceClaimName;
}

/** The requests of that claim that are for what the container asks for. */
export function extendedRequestsOf({ status }: Pod, { name, resources }: Container): readonly string[] {
	return (status?.extendedResourceClaimStatus?.requestMappings ?? []).flatMap(({ containerName, resourceName, requestName }) =>
		containerName === name && amountOf(resources?.requests?.[resourceName] ?? '0') !== 0 ? [requestName] : [],
	);
}

/** No device plugin gives it to this container, and it counts against nothing of the node. */
export function isOfClaim({ status }: Pod, container: string, resource: string): boolean {
	const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
	return mappings.some(({ containerName, resourceName }) => containerName === container && resourceName === resource);
}
