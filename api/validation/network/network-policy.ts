/** NetworkPolicies: peers and ports, the networks of before as they are. */
import { fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../gen/types.ts';
import { cidrComplaints, isStrictSubset, parseNetwork } from '../address-form.ts';
import { portName, portNumber } from '../names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { oneOf, texts, type Errors } from '../rule.ts';
import { labelSelector, valuesAfter, type Values } from '../selectors.ts';

export function networkPolicy(out: Errors, object: NetworkPolicy): void {
	objectMeta(out, object.metadata, NAMESPACED);
	networkPolicySpec(out, object, { networks: new Set(), values: 'checked' });
}

export function networkPolicyUpdate(out: Errors, object: NetworkPolicy, old: NetworkPolicy): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	networkPolicySpec(out, object, { networks: new Set(networksOf(old)), values: valuesAfter(old.spec?.podSelector) });
}

/** All networks that it tells of. */
function networksOf({ spec }: NetworkPolicy): readonly string[] {
	const peers = [...(spec?.ingress ?? []).flatMap(({ from = [] }) => from), ...(spec?.egress ?? []).flatMap(({ to = [] }) => to)];
	return peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock.cidr, ...(ipBlock.except ?? [])]));
}

/** What may be as it was before. */
interface Kept {
	readonly networks: ReadonlySet<string>;
	/** Of all selectors, by those of its own pods. */
	readonly values: Values;
}

function networkPolicySpec(out: Errors, { spec }: NetworkPolicy, kept: Kept): void {
	labelSelector(out, 'spec.podSelector', spec?.podSelector, kept.values);
	for (const [i, rule] of (spec?.ingress ?? []).entries()) {
		for (const [j, port] of (rule.ports ?? []).entries()) policyPort(out, `spec.ingress[${i}].ports[${j}]`, port);
		for (const [j, peer] of (rule.from ?? []).entries()) policyPeer(out, `spec.ingress[${i}].from[${j}]`, peer, kept);
	}
	for (const [i, rule] of (spec?.egress ?? []).entries()) {
		for (const [j, port] of (rule.ports ?? []).entries()) policyPort(out, `spec.egress[${i}].ports[${j}]`, port);
		for (const [j, peer] of (rule.to ?? []).entries()) policyPeer(out, `spec.egress[${i}].to[${j}]`, peer, kept);
	}
	const types = spec?.policyTypes ?? [];
	if (types.length > 2) {
		out.push(invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes'));
		return;
	}
	for (const [i, type] of types.entries()) oneOf(out, `spec.policyTypes[${i}]`, type, ['Ingress', 'Egress']);
}

function policyPort(out: Errors, at: string, { protocol, port, endPort }: NetworkPolicyPort): void {
	oneOf(out, `${at}.protocol`, protocol, ['TCP', 'UDP', 'SCTP']);
	const end = (text: string, shown = endPort): void => void out.push(invalidValue(`${at}.endPort`, shown, text));
	if (typeof port === 'string') {
		if (endPort !== undefined) end('may not be specified when `port` is non-numeric');
		texts(out, `${at}.port`, port, portName(port));
		return;
	}
	if (port !== undefined) texts(out, `${at}.port`, port, portNumber(port));
	if (endPort === undefined) return;
	if (port === undefined) return end('may not be specified when `port` is not specified');
	if (endPort < port) end('must be greater than or equal to `port`', port);
	texts(out, `${at}.endPort`, endPort, portNumber(endPort));
}

function policyPeer(
	out: Errors,
	at: string,
	{ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
	{ networks: known, values }: Kept,
): void {
	labelSelector(out, `${at}.podSelector`, podSelector, values);
	labelSelector(out, `${at}.namespaceSelector`, namespaceSelector, values);
	if (ipBlock !== undefined) {
		const { cidr = '', except = [] } = ipBlock;
		if (cidr === '') out.push(required(`${at}.ipBlock.cidr`));
		else if (!known.has(cidr)) texts(out, `${at}.ipBlock.cidr`, cidr, cidrComplaints(cidr));
		if (parseNetwork(cidr) !== undefined)
			for (const [i, inner] of except.entries()) {
				const path = `${at}.ipBlock.except[${i}]`;
				if (!known.has(inner)) texts(out, path, inner, cidrComplaints(inner));
				if (parseNetwork(inner) !== undefined && !isStrictSubset(inner, cidr))
					out.push(invalidValue(path, inner, 'must be a strict subset of `cidr`'));
			}
		if (podSelector !== undefined || namespaceSelector !== undefined)
			out.push(fieldForbidden(at, 'may not specify both ipBlock and another peer'));
	} else if (podSelector === undefined && namespaceSelector === undefined) out.push(required(at, 'must specify a peer'));
}
