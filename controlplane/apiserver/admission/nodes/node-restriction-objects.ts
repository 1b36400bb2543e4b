/** What a kubelet may write of its Node, claims, lease, CSINode, resource slices and certificate requests (upstream's noderestriction). Pure but for the reading of a request. */
import type { CertificateSigningRequest, Node, PersistentVolumeClaim, ResourceSlice } from '../../../../api/gen/types.ts';
import { jsonDiff } from '../../../../api/internal/diff.ts';
import { internalForm } from '../../../../api/internal/form.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { messageOf } from '../../../../base/errors.ts';
import { readSigningRequest } from '../../../../wire/tls/authority.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import { forbiddenNodeLabels } from './node-restriction-labels.ts';
import { stored, written } from '../target.ts';

const CLAIM = 'core/v1.PersistentVolumeClaim';
const LEASE_NAMESPACE = 'kube-node-lease';
const NODE_SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

/** Each says why the node may not; undefined when it may. */
export function nodeFault(node: string, attributes: AdmissionAttributes): string | undefined {
	const { operation } = attributes;
	if (attributes.name !== node) return `node "${node}" is not allowed to modify node "${attributes.name}"`;
	if (operation === 'CREATE') return newNodeFault(node, written<Node>(attributes));
	return operation === 'UPDATE' ? changedNodeFault(node, written<Node>(attributes), stored<Node>(attributes)) : undefined;
}

function newNodeFault(node: string, { metadata, spec }: Node): string | undefined {
	if (spec?.configSource !== undefined) return `node "${node}" is not allowed to create pods with a non-nil configSource`;
	const labels = forbiddenNodeLabels(metadata.labels ?? {}, {});
	return labels.length > 0 ? `node "${node}" is not allowed to set the following labels: ${labels.join(', ')}` : undefined;
}

function changedNodeFault(node: string, now: Node, before: Node | undefined): string | undefined {
	const may = `node "${node}" is not allowed to`;
	const source = now.spec?.configSource;
	if (source !== undefined && !sameJson(source, before?.spec?.configSource))
		return `${may} update configSource to a new non-nil configSource`;
	if (!sameJson(now.spec?.taints ?? [], before?.spec?.taints ?? [])) return `${may} modify taints`;
	if (!sameJson(now.metadata.ownerReferences ?? [], before?.metadata.ownerReferences ?? [])) return `${may} modify ownerReferences`;
	const labels = forbiddenNodeLabels(now.metadata.labels ?? {}, before?.metadata.labels ?? {});
	return labels.length > 0 ? `is not allowed to modify labels: ${labels.join(', ')}` : undefined;
}

export function claimFault(node: string, attributes: AdmissionAttributes): string | undefined {
	if (attributes.subresource !== 'status') return 'may only update PVC status';
	if (attributes.operation !== 'UPDATE') return `unexpected operation "${attributes.operation}"`;
	const [now, before] = [written<PersistentVolumeClaim>(attributes), stored<PersistentVolumeClaim>(attributes)].map(untouchable);
	if (sameJson(now, before)) return undefined;
	const difference = jsonDiff(internalForm(CLAIM, before), internalForm(CLAIM, now));
	return `node "${node}" is not allowed to update fields other than status.quantity and status.conditions: ${difference}`;
}

/** A claim without what its node tells of it. */
function untouchable(claim: PersistentVolumeClaim | undefined): object {
	const { resourceVersion: _version, managedFields: _managed, ...metadata } = claim?.metadata ?? {};
	const { capacity: _c, conditions: _co, allocatedResources: _a, allocatedResourceStatuses: _s, ...status } = claim?.status ?? {};
	return { metadata, spec: claim?.spec ?? {}, status };
}

export function leaseFault(node: string, attributes: AdmissionAttributes): string | undefined {
	if (attributes.namespace !== LEASE_NAMESPACE) return `can only access leases in the "${LEASE_NAMESPACE}" system namespace`;
	return attributes.name === node ? undefined : 'can only access node lease with the same name as the requesting node';
}

export function csiNodeFault(node: string, attributes: AdmissionAttributes): string | undefined {
	return attributes.name === node ? undefined : 'can only access CSINode with the same name as the requesting node';
}

/** Whose a changed slice is, the node authorizer knows. */
export function sliceFault(node: string, attributes: AdmissionAttributes): string | undefined {
	const { operation } = attributes;
	if (operation !== 'CREATE' && operation !== 'DELETE') return undefined;
	const slice = operation === 'CREATE' ? written<ResourceSlice>(attributes) : stored<ResourceSlice>(attributes);
	if (slice?.spec.nodeName === node) return undefined;
	return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

/** Only certificates for the node itself; what else a signer asks of a request is the signer's to check. */
export async function requestFault(node: string, attributes: AdmissionAttributes): Promise<string | undefined> {
	if (attributes.operation !== 'CREATE') return undefined;
	const { signerName, request = '' } = written<CertificateSigningRequest>(attributes).spec;
	if (!NODE_SIGNERS.includes(signerName)) return undefined;
	try {
		const { commonName } = await readSigningRequest(Buffer.from(request, 'base64').toString());
		return commonName === `system:node:${node}` ? undefined : `can only create a node CSR with CN=system:node:${node}`;
	} catch (error) {
		return `unable to parse csr: ${messageOf(error)}`;
	}
}
