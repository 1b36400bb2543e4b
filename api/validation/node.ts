/** Nodes: their taints, networks, addresses and what they offer (core ValidateNode). */
import { duplicate, fieldForbidden, internal, invalidValue, required } from '../field-error.ts';
import type { Node } from '../gen/types.ts';
import { cidrComplaints, parseNetwork } from './address-form.ts';
import { labelValue, qualifiedName } from './names.ts';
import { CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from './metadata.ts';
import { oneOf, texts, type Errors } from './rule.ts';
import { TAINT_EFFECTS } from './pod/scheduling.ts';
import { amount } from './pod/resources.ts';

export function node(out: Errors, object: Node): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	taints(out, object);
	nodeAmounts(out, object);
	const swap = object.status?.nodeInfo?.swap?.capacity;
	if (swap !== undefined && swap <= 0) out.push(invalidValue('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero'));
	nodeFeatures(out, object);
	podRanges(out, object);
}

function nodeAmounts(out: Errors, { status }: Node): void {
	for (const key of ['capacity', 'allocatable'] as const)
		for (const [name, value] of Object.entries(status?.[key] ?? {})) amount(out, `status.${key}.${name}`, name, value);
}

function taints(out: Errors, { spec }: Node): void {
	const seen = new Set<string>();
	for (const [i, { key = '', value = '', effect, timeAdded }] of (spec?.taints ?? []).entries()) {
		const at = `metadata.taints[${i}]`;
		texts(out, `${at}.key`, key, qualifiedName(key));
		const complaints = labelValue(value);
		if (complaints.length > 0) out.push(invalidValue(`${at}.value`, value, complaints.join(';')));
		if ((effect as string) === '') out.push(required(`${at}.effect`));
		else oneOf(out, `${at}.effect`, effect, TAINT_EFFECTS);
		const same = `${key}:${effect}`;
		if (seen.has(same)) {
			const taint = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
			const { message, ...error } = duplicate(at, taint);
			out.push({ ...error, message: `${message}: taints must be unique by key and effect pair` });
		}
		seen.add(same);
	}
}

function podRanges(out: Errors, { spec }: Node): void {
	const cidrs = spec?.podCIDRs ?? [];
	for (const [i, cidr] of cidrs.entries()) texts(out, `spec.podCIDRs[${i}]`, cidr, cidrComplaints(cidr));
	if (cidrs.length < 2) return;
	const wrong = cidrs.findIndex((cidr) => parseNetwork(cidr) === undefined);
	if (wrong >= 0) {
		const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${cidrs[wrong]})`;
		out.push(internal('spec.podCIDRs', `invalid PodCIDRs. failed to check with dual stack with error:${why}`));
	}
	if (wrong >= 0 || cidrs.length > 2 || new Set(cidrs.map((cidr) => cidr.includes(':'))).size < 2)
		out.push(invalidValue('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'));
}

function nodeAddresses(out: Errors, { status }: Node): void {
	const seen = new Set<string>();
	for (const [i, { type = '', address = '' }] of (status?.addresses ?? []).entries()) {
		const value = { Type: type, Address: address };
		const key = JSON.stringify(value);
		if (seen.has(key)) out.push(duplicate(`status.addresses[${i}]`, value));
		seen.add(key);
	}
}

const MAX_FEATURE = 253;
const FEATURE = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z][A-Za-z0-9]*)*$/;
const FEATURE_TEXT =
	"must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

function nodeFeatures(out: Errors, { status }: Node): void {
	const features = status?.declaredFeatures ?? [];
	for (const [i, name] of features.entries()) {
		const at = `status.declaredFeatures[${i}]`;
		const before = features[i - 1];
		if (before === name) out.push(duplicate(at, name));
		else if (before !== undefined && before > name) out.push(invalidValue(at, name, 'list must be sorted alphabetically'));
		const why =
			name.length > MAX_FEATURE ? `must be no more than ${MAX_FEATURE} characters` : FEATURE.test(name) ? undefined : FEATURE_TEXT;
		if (why !== undefined) out.push(invalidValue(at, name, `invalid feature name ${JSON.stringify(name)}: ${why}`));
	}
}

/** What the kubelet tells of its node. */
export function nodeStatus(out: Errors, object: Node, old: Node): void {
	fixedFields(out, object, old);
}

export function nodeUpdate(out: Errors, object: Node, old: Node): void {
	node(out, object);
	fixedFields(out, object, old);
}

/** What stays whoever writes a node, whole or its status. */
function fixedFields(out: Errors, object: Node, old: Node): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	nodeAmounts(out, object);
	nodeFeatures(out, object);
	nodeAddresses(out, object);
	const [now, before] = [object.spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []];
	const changes = now.length === before.length ? before.filter((cidr, i) => cidr !== now[i]) : before.slice(0, 1);
	for (const _ of changes) out.push(fieldForbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
	if ((old.spec?.providerID ?? '') !== '' && old.spec?.providerID !== object.spec?.providerID)
		out.push(fieldForbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
	taints(out, object);
	if (old.spec !== undefined && (object.spec?.externalID ?? '') !== (old.spec.externalID ?? ''))
		out.push(fieldForbidden('spec.externalID', 'may not be updated'));
}
