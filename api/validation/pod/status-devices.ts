/** What a pod's status says of devices: the claims made for it, and the health of what its containers were given (upstream ValidatePodStatusUpdate). */
import { duplicate, fieldForbidden, invalidValue, notSupported, required, tooLong } from '../../field-error.ts';
import type { Container, ContainerStatus, Pod, PodExtendedResourceClaimStatus, PodSpec } from '../../gen/types.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { present, texts, Unique, type Errors } from '../rule.ts';

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const MAX_MESSAGE = 1024;

export function claimStatuses(out: Errors, { spec, status }: Pod): void {
	const names = new Unique();
	const wanted = new Set((spec?.resourceClaims ?? []).map(({ name }) => name));
	for (const [i, { name, resourceClaimName }] of (status?.resourceClaimStatuses ?? []).entries()) {
		const at = `status.resourceClaimStatuses[${i}]`;
		if (!wanted.has(name)) out.push(invalidValue(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
		names.check(out, `${at}.name`, name);
		if (resourceClaimName !== undefined) texts(out, `${at}.resourceClaimName`, resourceClaimName, dnsSubdomain(resourceClaimName));
	}
	extendedClaim(out, 'status.extendedResourceClaimStatus', status?.extendedResourceClaimStatus, spec);
}

const NO_CONTAINER = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
const NO_REQUEST =
	'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';

function extendedClaim(out: Errors, at: string, status: PodExtendedResourceClaimStatus | undefined, spec: PodSpec | undefined): void {
	if (status === undefined) return;
	const containers = new Map([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((c) => [c.name, c] as const));
	const { requestMappings = [], resourceClaimName = '' } = status;
	present(out, `${at}.requestMappings`, requestMappings, 'at least one request mapping is required');
	const seen = new Set<string>();
	for (const [i, { containerName, resourceName, requestName }] of requestMappings.entries()) {
		const path = `${at}.requestMappings[${i}]`;
		const container = containers.get(containerName);
		if (container === undefined) out.push(invalidValue(`${path}.containerName`, containerName, NO_CONTAINER));
		else if (container.resources?.requests?.[resourceName] === undefined)
			out.push(invalidValue(`${path}.resourceName`, resourceName, NO_REQUEST));
		texts(out, `${at}.requestName`, requestName, dnsLabel(requestName));
		const key = JSON.stringify([containerName, resourceName, requestName]);
		if (seen.has(key))
			for (const [name, value] of Object.entries({ containerName, resourceName, requestName }))
				out.push(duplicate(`${path}.${name}`, value));
		seen.add(key);
	}
	if (resourceClaimName === '') out.push(required(`${at}.resourceClaimName`));
	else texts(out, `${at}.resourceClaimName`, resourceClaimName, dnsSubdomain(resourceClaimName));
}

/** Ephemeral containers are given nothing. */
export function allocatedResources(out: Errors, { spec, status }: Pod): void {
	health(out, 'status.containerStatuses', status?.containerStatuses, spec?.containers);
	health(out, 'status.initContainerStatuses', status?.initContainerStatuses, spec?.initContainers);
	for (const [i, { allocatedResourcesStatus }] of (status?.ephemeralContainerStatuses ?? []).entries())
		if ((allocatedResourcesStatus ?? []).length > 0)
			out.push(
				fieldForbidden(`status.ephemeralContainerStatuses[${i}].allocatedResourcesStatus`, 'must not be specified in container status'),
			);
}

function health(out: Errors, path: string, statuses: readonly ContainerStatus[] = [], containers: readonly Container[] = []): void {
	for (const [i, { name, allocatedResourcesStatus }] of statuses.entries()) {
		const container = containers.find((c) => c.name === name);
		for (const [j, { name: resource, resources }] of (allocatedResourcesStatus ?? []).entries()) {
			const at = `${path}[${i}].allocatedResourcesStatus[${j}]`;
			if (container !== undefined) wasAsked(out, `${at}.name`, resource, container);
			const ids = new Unique();
			for (const [k, one] of (resources ?? []).entries()) {
				const where = `${at}.resources[${k}]`;
				if (!HEALTH.includes(one.health ?? '')) out.push(notSupported(`${where}.health`, one.health ?? '', HEALTH));
				if (one.message === '') out.push(required(`${where}.message`, 'must be non-empty if specified'));
				else if (Buffer.byteLength(one.message ?? '') > MAX_MESSAGE) out.push(tooLong(`${where}.message`, MAX_MESSAGE));
				ids.check(out, `${where}.resourceID`, one.resourceID);
			}
		}
	}
}

function wasAsked(out: Errors, path: string, name: string, { resources }: Container): void {
	if (name.startsWith('claim:')) {
		const claims = (resources?.claims ?? []).map(
			(claim) => `claim:${claim.name}${(claim.request ?? '') === '' ? '' : `/${claim.request}`}`,
		);
		const form = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
		if (!claims.includes(name)) out.push(invalidValue(path, name, `must match one of the container's resource claims in a format ${form}`));
	} else if (resources?.requests?.[name] === undefined)
		out.push(invalidValue(path, name, "must match one of the container's resource requests"));
}
