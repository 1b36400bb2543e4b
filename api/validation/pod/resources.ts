/** Requests and limits of containers and pods. */
import { duplicate, fieldForbidden, fieldNotFound, invalidValue, required } from '../../field-error.ts';
import type { PodSpec, ResourceClaim, ResourceRequirements } from '../../gen/types.ts';
import { addTo, amountsOf, raiseTo, resourceList as resourceTexts, type Amounts } from '../../pod/amounts.ts';
import { inAll } from '../../pod/resources.ts';
import { ceilMilli, compareQuantities, parseQuantity } from '../../quantity.ts';
import { asSent } from '../../sent-empty.ts';
import { dnsLabel, qualifiedName } from '../names.ts';
import type { PodContext } from './context.ts';
import { oneOf, texts, type Errors } from '../rule.ts';

type AmountTexts = Readonly<Record<string, string | number>>;

/** In whole pieces. */
export const COUNTED: ReadonlySet<string> = new Set([
	'pods',
	'persistentvolumeclaims',
	'services',
	'replicationcontrollers',
	'resourcequotas',
	'secrets',
	'configmaps',
	'services.nodeports',
	'services.loadbalancers',
]);
const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Names without a domain that mean something somewhere. */
const KNOWN = new Set([
	...STANDARD,
	...COUNTED,
	'storage',
	'requests.storage',
	...['requests', 'limits'].flatMap((part) => [...STANDARD].map((name) => `${part}.${name}`)),
]);
const UNITS = 1_000_000_000n;

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isExtended = (name: string): boolean => !isNative(name) && !name.startsWith('requests.');
export const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

/** A name with a domain that is not Kubernetes' own, and can be asked for in quotas. */
export const isExtendedResource = (name: string): boolean =>
	name !== '' && isExtended(name) && qualifiedName(`requests.${name}`).length === 0;
export const isStandardResource = (name: string): boolean => KNOWN.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
export const isContainerResource = (name: string): boolean => STANDARD.has(name) || isHugePages(name);

/** A quantity that may not be negative, nor fractional where the resource is counted in pieces (ValidateResourceQuantityValue). */
export function amount(out: Errors, path: string, name: string, value: string | number): void {
	if (compareQuantities(value, 0) < 0) out.push(invalidValue(path, String(value), 'must be greater than or equal to 0'));
	if ((COUNTED.has(name) || isExtendedResource(name)) && ceilMilli(value) % 1000 !== 0)
		out.push(invalidValue(path, String(value), 'must be an integer'));
}

function hugePages(out: Errors, path: string, name: string, value: string | number, { options }: ResourceContext): void {
	if (!options.has('indivisibleHugePages') && isIndivisible(name, value))
		out.push(invalidValue(path, String(value), `${value} is not positive integer multiple of ${name}`));
}

/** Huge pages that are not of whole pages. */
export const isIndivisible = (name: string, value: string | number): boolean => isHugePages(name) && !fills(value, pageSize(name));

function fills(value: string | number, size: bigint): boolean {
	return size > 0n && size % UNITS === 0n && parseQuantity(value).nano % size === 0n;
}

/** 0 where the name tells no size. */
function pageSize(name: string): bigint {
	try {
		return parseQuantity(name.slice('hugepages-'.length)).nano;
	} catch {
		return 0n;
	}
}

/** False where the name is no resource's at all. */
export function resourceName(out: Errors, path: string, name: string): boolean {
	const complaints = qualifiedName(name);
	texts(out, path, name, complaints);
	if (complaints.length > 0) return false;
	if (name.includes('/') || isStandardResource(name)) return true;
	out.push(invalidValue(path, name, 'must be a standard resource type or fully qualified'));
	return false;
}

export function containerResourceName(out: Errors, path: string, name: string): void {
	resourceName(out, path, name);
	if (!name.includes('/')) {
		if (!isContainerResource(name)) out.push(invalidValue(path, name, 'must be a standard resource for containers'));
	} else if (!isNative(name) && (!isExtended(name) || qualifiedName(`requests.${name}`).length > 0))
		out.push(invalidValue(path, name, "doesn't follow extended resource name standard"));
}

function podResourceName(out: Errors, path: string, name: string): void {
	if (resourceName(out, path, name) && !isHugePages(name)) oneOf(out, path, name, POD_LEVEL);
}

/** What is asked for may be claimed by the pod, and may be what it was. */
type ResourceContext = Pick<PodContext, 'claims' | 'options'>;

export function containerResources(
	out: Errors,
	path: string,
	{ limits = {}, requests = {}, claims = [] }: ResourceRequirements,
	context: ResourceContext,
	named = containerResourceName,
): void {
	for (const [name, value] of sorted(limits)) {
		named(out, `${path}.limits[${name}]`, name);
		amount(out, `${path}.limits[${name}]`, name, value);
		hugePages(out, `${path}.limits[${name}]`, name, value, context);
	}
	for (const [name, value] of sorted(requests)) {
		named(out, `${path}.requests[${name}]`, name);
		amount(out, `${path}.requests[${name}]`, name, value);
		requestAgainstLimit(out, path, name, value, limits[name]);
		hugePages(out, `${path}.requests[${name}]`, name, value, context);
	}
	const names = [...Object.keys(limits), ...Object.keys(requests)];
	if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory'))
		out.push(fieldForbidden(path, 'HugePages require cpu or memory'));
	claimReferences(out, `${path}.claims`, claims, context.claims);
}

function claimReferences(out: Errors, path: string, claims: readonly ResourceClaim[], podClaims: ReadonlySet<string>): void {
	const seen = new Set<string>();
	for (const [i, { name = '', request = '' }] of claims.entries()) {
		const at = `${path}[${i}]`;
		if (name === '') {
			out.push(required(at));
			continue;
		}
		if (seen.has(name)) out.push(duplicate(at, name));
		else {
			const key = request === '' ? name : `${name}/${request}`;
			if (request !== '') texts(out, `${at}.request`, request, dnsLabel(request));
			if (seen.has(key)) out.push(duplicate(at, key));
			else if (request === '') for (const other of seen) if (other.startsWith(`${name}/`)) out.push(duplicate(at, name));
			seen.add(key);
		}
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
export function podResources(out: Errors, path: string, spec: PodSpec, specPath: string, context: ResourceContext): void {
	const { resources } = spec;
	if (resources === undefined) return;
	if (spec.os?.name === 'windows') {
		out.push(fieldForbidden(path, 'may not be set for a windows pod'));
		return;
	}
	const { limits = {} } = resources;
	if (asSent(resources, 'claims') !== undefined)
		out.push(fieldForbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level'));
	containerResources(out, path, resources, context, podResourceName);
	sumsOfContainers(out, path, spec);
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

const SUMS = { none: (): Amounts => new Map(), add: addTo, raise: raiseTo };

/** What the containers ask for together may not be more than the pod does, nor their huge pages more than its limits. */
function sumsOfContainers(out: Errors, path: string, spec: PodSpec): void {
	const pod = { metadata: {}, spec };
	for (const [key, what, counts] of [
		['requests', 'container requests', () => true],
		['limits', 'container limits', isHugePages],
	] as const) {
		const sums = resourceTexts(inAll(pod, (container) => amountsOf(container.resources?.[key]), SUMS));
		for (const [name, value] of sorted(spec.resources?.[key] ?? {})) {
			const sum = sums[name];
			if (sum !== undefined && counts(name) && compareQuantities(sum, value) > 0)
				out.push(invalidValue(`${path}.${key}[${name}]`, String(value), `must be greater than or equal to aggregate ${what} of ${sum}`));
		}
	}
}

function sorted(amounts: AmountTexts): readonly (readonly [string, string | number])[] {
	return Object.entries(amounts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
