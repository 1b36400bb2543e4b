/** NodeRestriction: a kubelet changes only its own node, lease, CSINode, slices and requests, and the pods bound to it (upstream plugin/pkg/admission/noderestriction). */
import type { Pod, TokenRequest } from '../../../../api/gen/types.ts';
import { NODES, PODS } from '../../../../api/resources.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { notFound } from '../../../../api/status.ts';
import { nodeOf } from '../../authz/node.ts';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer, ObjectReader } from '../../contracts.ts';
import { mirrorPodFault, referenceFault } from './mirror-pods.ts';
import { claimFault, csiNodeFault, leaseFault, nodeFault, requestFault, sliceFault } from './node-restriction-objects.ts';
import { refusal } from '../refusal.ts';
import { stored, written } from '../target.ts';
import { asksFor } from './token-audiences.ts';

export class NodeRestriction implements AdmissionPlugin {
	readonly name = 'NodeRestriction';
	readonly #objects: ObjectReader;
	readonly #authorizer: Authorizer;

	constructor(objects: ObjectReader, authorizer: Authorizer) {
		this.#objects = objects;
		this.#authorizer = authorizer;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return nodeOf(attributes.user) !== undefined && attributes.operation !== 'CONNECT';
	}

	/** Changes nothing, but looks at what is asked for, before a subresource puts back what it may not change. */
	mutate(attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> | undefined {
		const node = nodeOf(attributes.user);
		if (node === undefined) return undefined;
		const check = (fault: string | undefined): undefined => {
			if (fault !== undefined) throw refusal(attributes, fault);
		};
		if (node === '') return check(`could not determine node from user ${JSON.stringify(attributes.user.name)}`);
		switch (`${attributes.group}/${attributes.resource}`) {
			case '/pods':
				return check(this.#podFault(node, attributes));
			case '/nodes':
				return check(nodeFault(node, attributes));
			case '/persistentvolumeclaims':
				return check(claimFault(node, attributes));
			case '/serviceaccounts':
				return attributes.subresource === 'token' ? this.#tokenFault(node, attributes, signal).then(check) : undefined;
			case 'coordination.k8s.io/leases':
				return check(leaseFault(node, attributes));
			case 'storage.k8s.io/csinodes':
				return check(csiNodeFault(node, attributes));
			case 'resource.k8s.io/resourceslices':
				return check(sliceFault(node, attributes));
			case 'certificates.k8s.io/certificatesigningrequests':
				return requestFault(node, attributes).then(check);
		}
		return undefined;
	}

	#podFault(node: string, attributes: AdmissionAttributes): string | undefined {
		const { operation, subresource } = attributes;
		switch (subresource) {
			case '':
				if (operation === 'CREATE') return this.#newPodFault(node, written<Pod>(attributes));
				if (operation !== 'DELETE') return `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`;
				return this.#pod(attributes, attributes.name).spec?.nodeName === node
					? undefined
					: `node "${node}" can only delete pods with spec.nodeName set to itself`;
			case 'status':
				if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
				return podStatusFault(node, written<Pod>(attributes), stored<Pod>(attributes));
			case 'eviction':
				return this.#pod(attributes, attributes.name).spec?.nodeName === node
					? undefined
					: `node ${node} can only evict pods with spec.nodeName set to itself`;
			default:
				return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
		}
	}

	#newPodFault(node: string, pod: Pod): string | undefined {
		const fault = mirrorPodFault(node, pod);
		if (fault !== undefined) return fault;
		const uid = this.#objects.get(NODES, node)?.metadata.uid;
		if (uid === undefined) throw notFound({ group: '', plural: 'node' }, node);
		const ownerUid = pod.metadata.ownerReferences?.[0]?.uid ?? '';
		if (ownerUid !== uid) return `node ${node} UID mismatch: expected ${ownerUid} got ${uid}`;
		return referenceFault(node, pod);
	}

	#pod({ namespace }: AdmissionAttributes, name: string): Pod {
		const pod = this.#objects.get(PODS, `${namespace}/${name}`);
		if (pod === undefined) throw notFound({ group: '', plural: 'pod' }, name);
		return pod;
	}

	/** Tokens only for pods of the node, and for whom the pod's volumes name or the node may ask. */
	async #tokenFault(node: string, attributes: AdmissionAttributes, signal: AbortSignal): Promise<string | undefined> {
		const { boundObjectRef: ref, audiences } = written<TokenRequest | undefined>(attributes)?.spec ?? {};
		const { name = '', uid = '' } = ref ?? {};
		if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || name === '') return 'node requested token not bound to a pod';
		if (uid === '') return 'node requested token with a pod binding without a uid';
		const pod = this.#pod(attributes, name);
		if (uid !== pod.metadata.uid)
			return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
		if (pod.spec?.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
		const [audience = '', ...more] = audiences ?? []; // none are null, where they came as protobuf
		if (more.length > 0) return 'node may only request 0 or 1 audiences';
		const asked = asksFor(pod, audience, this.#objects);
		if (typeof asked === 'string') return `error validating audience ${JSON.stringify(audience)}: ${asked}`;
		if (asked || (await this.#mayAsk(audience, attributes, signal))) return undefined;
		const who = `${attributes.user.name} is not authorized to request tokens for this audience`;
		return `audience ${JSON.stringify(audience)} not found in pod spec volume, ${who}`;
	}

	async #mayAsk(audience: string, { user, namespace, name }: AdmissionAttributes, signal: AbortSignal): Promise<boolean> {
		const what = { type: 'resource', group: '', version: 'v1', subresource: '' } as const;
		const asked = { ...what, user, verb: 'request-serviceaccounts-token-audience', resource: audience, namespace, name };
		return (await this.#authorizer.authorize(asked, signal)).allowed;
	}
}

function podStatusFault(node: string, now: Pod, before: Pod | undefined): string | undefined {
	if (before?.spec?.nodeName !== node) return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
	if (!sameJson(before.metadata.labels ?? {}, now.metadata.labels ?? {})) return `node "${node}" cannot update labels through pod status`;
	if (!sameJson(before.status?.resourceClaimStatuses ?? [], now.status?.resourceClaimStatuses ?? []))
		return `node "${node}" cannot update resource claim statues`;
	if (!sameJson(before.status?.extendedResourceClaimStatus, now.status?.extendedResourceClaimStatus))
		return `node "${node}" cannot update extended resource claim status`;
	return undefined;
}
