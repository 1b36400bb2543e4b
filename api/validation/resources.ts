/** Requests and limits of containers and pods. */
import { fieldForbidden, fieldNotFound, invalidValue, required } from '../field-error.ts';
import type { PodSpec, ResourceClaim, ResourceRequirements } from '../gen/types.ts';
import { addQuantities, compareQuantities, parseQuantity } from '../quantity.ts';
import { qualifiedName } from './names.ts';
import { oneOf, texts, Unique, type Errors } from './rule.ts';

type Amounts = Readonly<Record<string, string | number>>;

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Names without a domain that mean something somewhere. */
const KNOWN = new Set([
	...STANDARD,
	'storage',
	'requests.storage',
	'pods',
	'services',
	'replicationcontrollers',
	'resourcequotas',
	'secrets',
	'configmaps',
	'persistentvolumeclaims',
	'services.nodeports',
	'services.loadbalancers',
	...['requests', 'limits'].flatMap((part) => [...STANDARD].map((name) => `${part}.${name}`)),
]);
const UNITS = 1_000_000_000n;

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isExtended = (name: string): boolean => !isNative(name) && !name.startsWith('requests.');
const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

export const isStandardResource = (name: string): boolean => KNOWN.has(name) || isHugePages(name);
export const isContainerResource = (name: string): boolean => STANDARD.has(name) || isHugePages(name);

/** A quantity that may not be negative, nor fractional where the resource is counted in pieces. */
export function amount(out: Errors, path: string, name: string, value: string | number): void {
	const { nano } = parseQuantity(value);
	if (nano < 0n) out.push(invalidValue(path, String(value), 'must be greater than or equal to 0'));
	if (isExtended(name) && nano % UNITS !== 0n) out.push(invalidValue(path, String(value), 'must be an integer'));
	if (isHugePages(name)) hugePages(out, path, name, value, nano);
}

function hugePages(out: Errors, path: string, name: string, value: string | number, nano: bigint): void {
	let size: bigint;
	try {
		size = parseQuantity(name.slice('hugepages-'.length)).nano;
	} catch {
		return;
	}
	if (size > 0n && nano % size !== 0n) out.push(invalidValue(path, String(value), `${value} is not positive integer multiple of ${name}`));
}

/** Names and amounts of a list of resources. */
export function resourceList(out: Errors, path: string, amounts: Amounts): void {
	for (const [name, value] of sorted(amounts)) {
		resourceName(out, `${path}[${name}]`, name);
		amount(out, `${path}[${name}]`, name, value);
	}
}

function resourceName(out: Errors, path: string, name: string): void {
	texts(out, path, name, qualifiedName(name));
	if (name.includes('/') || STANDARD.has(name) || isHugePages(name)) return;
	if (!KNOWN.has(name)) out.push(invalidValue(path, name, 'must be a standard resource type or fully qualified'));
	out.push(invalidValue(path, name, 'must be a standard resource for containers'));
}

export function containerResources(
	out: Errors,
	path: string,
	{ limits = {}, requests = {}, claims = [] }: ResourceRequirements,
	podClaims: ReadonlySet<string>,
): void {
	for (const [name, value] of sorted(limits)) {
		resourceName(out, `${path}.limits[${name}]`, name);
		amount(out, `${path}.limits[${name}]`, name, value);
	}
	for (const [name, value] of sorted(requests)) {
		resourceName(out, `${path}.requests[${name}]`, name);
		amount(out, `${path}.requests[${name}]`, name, value);
		requestAgainstLimit(out, path, name, value, limits[name]);
	}
	const names = [...Object.keys(limits), ...Object.keys(requests)];
	if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory'))
		out.push(fieldForbidden(path, 'HugePages require cpu or memory'));
	claimReferences(out, path, claims, podClaims);
}

function claimReferences(out: Errors, path: string, claims: readonly ResourceClaim[], podClaims: ReadonlySet<string>): void {
	const seen = new Unique();
	for (const [i, { name }] of claims.entries()) {
		const at = `${path}.claims[${i}]`;
		seen.check(out, at, name);
		if (podClaims.has(name)) continue;
		const known = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].toSorted().join(', ')}`;
		const error = fieldNotFound(at, name);
		out.push({ ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${known}` });
	}
}

function requestAgainstLimit(out: Errors, path: string, name: string, value: string | number, limit: string | number | undefined): void {
	if (limit === undefined) {
		if (!mayOvercommit(name)) out.push(required(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
		return;
	}
	const order = compareQuantities(value, limit);
	if (order !== 0 && !mayOvercommit(name))
		out.push(invalidValue(`${path}.requests`, String(value), `must be equal to ${name} limit of ${limit}`));
	else if (order > 0) out.push(invalidValue(`${path}.requests`, String(value), `must be less than or equal to ${name} limit of ${limit}`));
}

const POD_LEVEL = ['cpu', 'hugepages-', 'memory'];

/** Resources of the pod as a whole. */
export function podResources(out: Errors, path: string, spec: PodSpec, specPath: string, podClaims: ReadonlySet<string>): void {
	const { resources } = spec;
	if (resources === undefined) return;
	const { limits = {}, requests = {}, claims } = resources;
	if (claims !== undefined && claims.length > 0)
		out.push(fieldForbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level'));
	const named = (at: string, name: string): void => {
		texts(out, at, name, qualifiedName(name));
		if (!name.includes('/') && !KNOWN.has(name) && !isHugePages(name))
			out.push(invalidValue(at, name, 'must be a standard resource type or fully qualified'));
		else if (!isHugePages(name)) oneOf(out, at, name, POD_LEVEL);
	};
	for (const [name, value] of sorted(limits)) {
		named(`${path}.limits[${name}]`, name);
		amount(out, `${path}.limits[${name}]`, name, value);
	}
	for (const [name, value] of sorted(requests)) {
		named(`${path}.requests[${name}]`, name);
		amount(out, `${path}.requests[${name}]`, name, value);
		requestAgainstLimit(out, path, name, value, limits[name]);
	}
	claimReferences(out, path, claims ?? [], podClaims);
	sumOfRequests(out, path, spec);
	for (const [i, { resources: own }] of (spec.containers ?? []).entries())
		for (const [name, value] of sorted(own?.limits ?? {})) {
			const limit = limits[name];
			if (limit !== undefined && compareQuantities(value, limit) > 0)
				out.push(
					invalidValue(
						`${specPath}.resources.containers[${i}][${name}].limits`,
						String(value),
						`must be less than or equal to pod limits of ${limit}`,
					),
				);
		}
}

/** What the containers ask for together may not be more than the pod does. */
function sumOfRequests(out: Errors, path: string, { resources, containers = [] }: PodSpec): void {
	for (const [name, value] of sorted(resources?.requests ?? {})) {
		let sum = '0';
		for (const { resources: own } of containers) {
			const request = own?.requests?.[name];
			if (request !== undefined) sum = addQuantities(sum, request);
		}
		if (compareQuantities(sum, value) > 0)
			out.push(
				invalidValue(`${path}.requests[${name}]`, String(value), `must be greater than or equal to aggregate container requests of ${sum}`),
			);
	}
}

function sorted(amounts: Amounts): readonly (readonly [string, string | number])[] {
	return Object.entries(amounts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
