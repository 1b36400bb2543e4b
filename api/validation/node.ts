/** Nodes: their taints, networks, addresses and what they offer (core ValidateNode). */
import { duplicate, fieldForbidden, internal, invalidValue } from '../field-error.ts';
import type { Node } from '../gen/types.ts';
import { cidrComplaints, parseNetwork } from './address-form.ts';
import { CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from './metadata.ts';
import { nodeAnnotations } from './node-annotations.ts';
import { nodeConfig } from './node-config.ts';
import { amount } from './pod/resources.ts';
import { texts, type Errors } from './rule.ts';
import { taintList } from './taints.ts';

const TAINTS = 'metadata.taints';

export function node(out: Errors, object: Node): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	nodeAnnotations(out, object.metadata.annotations);
	taintList(out, TAINTS, object.spec?.taints ?? []);
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
			Buffer.byteLength(name) > MAX_FEATURE
				? `must be no more than ${MAX_FEATURE} characters`
				: FEATURE.test(name)
					? undefined
					: FEATURE_TEXT;
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
	nodeAnnotations(out, object.metadata.annotations);
	nodeAmounts(out, object);
	nodeFeatures(out, object);
	nodeAddresses(out, object);
	const [now, before] = [object.spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []];
	const changes = now.length === before.length ? before.filter((cidr, i) => cidr !== now[i]) : before.slice(0, 1);
	for (const _ of changes) out.push(fieldForbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
	if ((old.spec?.providerID ?? '') !== '' && old.spec?.providerID !== object.spec?.providerID)
		out.push(fieldForbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
	nodeConfig(out, object);
	taintList(out, TAINTS, object.spec?.taints ?? []);
	if (old.spec !== undefined && (object.spec?.externalID ?? '') !== (old.spec.externalID ?? ''))
		out.push(fieldForbidden('spec.externalID', 'may not be updated'));
}
