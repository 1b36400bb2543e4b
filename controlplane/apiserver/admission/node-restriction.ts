/** NodeRestriction: a kubelet changes only its own node, lease, CSINode, and the pods bound to it (upstream plugin/pkg/admission/noderestriction). */
import type { Node, Pod, TokenRequest } from '../../../api/gen/types.ts';
import { PODS } from '../../../api/resources.ts';
import { nodeOf } from '../authz/node.ts';
import { podReferences } from '../../../api/pod/references.ts';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer, ObjectReader } from '../contracts.ts';
import { forbiddenNodeLabels } from './node-restriction-labels.ts';
import { refusal } from './refusal.ts';
import { isMirrorPod, stored, written } from './target.ts';
import { asksFor } from './token-audiences.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

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

	validate(attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> | undefined {
		const node = nodeOf(attributes.user);
		if (node === undefined) return undefined;
		if (node === '') throw refusal(attributes, `could not determine node from user ${JSON.stringify(attributes.user.name)}`);
		switch (`${attributes.group}/${attributes.resource}`) {
			case '/pods':
				this.#pod(node, attributes);
				break;
			case '/nodes':
				checkNode(node, attributes);
				break;
			case '/persistentvolumeclaims':
				checkClaim(node, attributes);
				break;
			case '/serviceaccounts':
				if (attributes.subresource === 'token') return this.#token(node, attributes, signal);
				break;
			case 'coordination.k8s.io/leases':
				checkLease(node, attributes);
				break;
			case 'storage.k8s.io/csinodes':
				if (objectName(attributes) !== node)
					throw refusal(attributes, `node "${node}" can only access CSINode with the same name as the requesting node`);
				break;
		}
		return undefined;
	}

	#pod(node: string, attributes: AdmissionAttributes): void {
		const { operation, subresource } = attributes;
		switch (subresource) {
			case '':
				if (operation === 'CREATE') return checkMirrorPod(node, attributes);
				if (operation === 'DELETE') return this.#ownPod(node, attributes, 'can only delete pods with spec.nodeName set to itself');
				throw refusal(attributes, `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
			case 'status': {
				if (operation !== 'UPDATE') throw refusal(attributes, `unexpected operation "${operation}"`);
				const before = stored<Pod>(attributes);
				if (before?.spec?.nodeName !== node)
					throw refusal(attributes, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
				if (JSON.stringify(before.metadata.labels ?? {}) !== JSON.stringify(written<Pod>(attributes).metadata.labels ?? {}))
					throw refusal(attributes, `node "${node}" cannot update labels through pod status`);
				return;
			}
			case 'eviction':
				return this.#ownPod(node, attributes, 'can only evict pods with spec.nodeName set to itself');
			default:
				throw refusal(attributes, `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
		}
	}

	#ownPod(node: string, attributes: AdmissionAttributes, rule: string): void {
		const pod = this.#objects.get(PODS, `${attributes.namespace}/${attributes.name}`);
		if (pod !== undefined && pod.spec?.nodeName !== node) throw refusal(attributes, `node "${node}" ${rule}`);
	}

	/** Tokens only for pods of the node, and for whom the pod's volumes name or the node may ask. */
	async #token(node: string, attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
		const { boundObjectRef: ref, audiences } = written<TokenRequest | undefined>(attributes)?.spec ?? {};
		if (ref?.kind !== 'Pod' || (ref.name ?? '') === '') throw refusal(attributes, `node requested token not bound to a pod`);
		if ((ref.uid ?? '') === '') throw refusal(attributes, `node requested token with a pod binding without a uid`);
		const pod = this.#objects.get(PODS, `${attributes.namespace}/${ref.name}`);
		if (pod !== undefined && pod.spec?.nodeName !== node)
			throw refusal(attributes, `node requested token bound to a pod scheduled on a different node`);
		if (pod === undefined) return;
		const [audience = '', ...more] = audiences ?? []; // none are null, where they came as protobuf
		if (more.length > 0) throw refusal(attributes, 'node may only request 0 or 1 audiences');
		const asked = asksFor(pod, audience, this.#objects);
		if (typeof asked === 'string') throw refusal(attributes, `error validating audience ${JSON.stringify(audience)}: ${asked}`);
		if (asked || (await this.#mayAsk(audience, attributes, signal))) return;
		const who = `${attributes.user.name} is not authorized to request tokens for this audience`;
		throw refusal(attributes, `audience ${JSON.stringify(audience)} not found in pod spec volume, ${who}`);
	}

	async #mayAsk(audience: string, { user, namespace, name }: AdmissionAttributes, signal: AbortSignal): Promise<boolean> {
		const what = { type: 'resource', group: '', version: 'v1', subresource: '' } as const;
		const asked = { ...what, user, verb: 'request-serviceaccounts-token-audience', resource: audience, namespace, name };
		return (await this.#authorizer.authorize(asked, signal)).allowed;
	}
}

function checkMirrorPod(node: string, attributes: AdmissionAttributes): void {
	const pod = written<Pod>(attributes);
	if (!isMirrorPod(pod))
		throw refusal(attributes, `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`);
	if (pod.spec?.nodeName !== node) throw refusal(attributes, `node "${node}" can only create pods with spec.nodeName set to itself`);
	const owners = pod.metadata.ownerReferences ?? [];
	if (owners.length > 1 || (owners[0] !== undefined && (owners[0].kind !== 'Node' || owners[0].name !== node)))
		throw refusal(attributes, `node "${node}" can only create pods with an owner reference set to itself`);
	const refs = podReferences(pod);
	if (refs.serviceAccount !== '') throw refusal(attributes, `node "${node}" can not create pods that reference a service account`);
	if (refs.secrets.length > 0) throw refusal(attributes, `node "${node}" can not create pods that reference secrets`);
	if (refs.configMaps.length > 0) throw refusal(attributes, `node "${node}" can not create pods that reference configmaps`);
	if (refs.claims.length > 0) throw refusal(attributes, `node "${node}" can not create pods that reference persistentvolumeclaims`);
}

function checkNode(node: string, attributes: AdmissionAttributes): void {
	const { operation } = attributes;
	const requested = objectName(attributes);
	if (requested !== node && requested !== '') throw refusal(attributes, `node "${node}" is not allowed to modify node "${requested}"`);
	if (operation === 'DELETE') return;
	const now = written<Node>(attributes);
	const before = operation === 'UPDATE' ? stored<Node>(attributes) : undefined;
	if (operation === 'UPDATE' && JSON.stringify(before?.spec?.taints ?? []) !== JSON.stringify(now.spec?.taints ?? []))
		throw refusal(attributes, `node "${node}" is not allowed to modify taints`);
	if (now.spec?.configSource !== undefined) throw refusal(attributes, `node "${node}" is not allowed to set the configSource field`);
	const labels = forbiddenNodeLabels(now.metadata.labels ?? {}, before?.metadata.labels ?? {});
	if (labels.length > 0)
		throw refusal(attributes, `is not allowed to ${operation === 'CREATE' ? 'set' : 'modify'} the following labels: ${labels.join(', ')}`);
	if (
		operation === 'UPDATE' &&
		JSON.stringify(before?.metadata.ownerReferences ?? []) !== JSON.stringify(now.metadata.ownerReferences ?? [])
	)
		throw refusal(attributes, `node "${node}" is not allowed to modify ownerReferences`);
}

function checkClaim(node: string, attributes: AdmissionAttributes): void {
	if (attributes.subresource !== 'status') throw refusal(attributes, `may only update PVC status`);
	if (attributes.operation !== 'UPDATE') throw refusal(attributes, `unexpected operation "${attributes.operation}"`);
	const same = JSON.stringify(stored<Pod>(attributes)?.spec) === JSON.stringify(written<Pod>(attributes).spec);
	if (!same) throw refusal(attributes, `node "${node}" is not allowed to update fields other than status.capacity and status.conditions`);
}

function checkLease(node: string, attributes: AdmissionAttributes): void {
	if (attributes.namespace !== 'kube-node-lease')
		throw refusal(attributes, `can only access leases in the "kube-node-lease" system namespace`);
	if (objectName(attributes) !== node) throw refusal(attributes, `can only access node lease with the same name as the requesting node`);
}

function objectName({ name, object }: AdmissionAttributes): string {
	return name === '' ? (object?.metadata.name ?? '') : name;
}
