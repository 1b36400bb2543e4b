/** Which objects each node needs for the pods bound to it: the graph behind the node authorizer. */
import type { Pod } from '../../../api/gen/types.ts';
import { splitKey, type Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, RESOURCE_SLICES, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import type { ObjectReader } from '../contracts.ts';
import { podReferences, type PodReferences } from '../../../api/pod/references.ts';
import { isMirrorPod } from '../admission/target.ts';
import { nodeSecretsOf } from './volume-secrets.ts';

export type Needed =
	| 'secrets'
	| 'configmaps'
	| 'persistentvolumeclaims'
	| 'persistentvolumes'
	| 'volumeattachments'
	| 'serviceaccounts'
	| 'resourceclaims'
	| 'resourceslices';

const NOTHING: PodReferences = { secrets: [], configMaps: [], claims: [], serviceAccount: '', resourceClaims: [] };

export class NodeGraph {
	readonly #objects: ObjectReader;
	readonly #podsOf = new Map<string, Map<Key, PodReferences>>();
	readonly #nodeOf = new Map<Key, string>();
	readonly #following: Disposable;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
		for (const pod of objects.list(PODS)) this.#setPod(`${pod.metadata.namespace}/${pod.metadata.name}`, pod);
		this.#following = objects.onChange(PODS, (change) => this.#setPod(change.key, change.after));
	}

	/** True when the pod is bound to the node. */
	hasPod(node: string, key: Key): boolean {
		return this.#nodeOf.get(key) === node;
	}

	/** True when some pod on the node needs the object (namespace '' for cluster-scoped kinds). */
	needs(node: string, what: Needed, namespace: string, name: string): boolean {
		switch (what) {
			case 'secrets':
				return this.#some(node, namespace, (refs) => refs.secrets.includes(name)) || this.#secretOfVolume(node, namespace, name);
			case 'configmaps':
				return this.#some(node, namespace, (refs) => refs.configMaps.includes(name));
			case 'persistentvolumeclaims':
				return this.#some(node, namespace, (refs) => refs.claims.includes(name));
			case 'serviceaccounts':
				return this.#some(node, namespace, (refs) => refs.serviceAccount === name);
			case 'resourceclaims':
				return this.#some(node, namespace, (refs) => refs.resourceClaims.includes(name));
			case 'persistentvolumes': {
				const claim = this.#objects.get(PERSISTENT_VOLUMES, name)?.spec?.claimRef;
				return claim?.name !== undefined && this.needs(node, 'persistentvolumeclaims', claim.namespace ?? '', claim.name);
			}
			case 'resourceslices':
				return this.#objects.get(RESOURCE_SLICES, name)?.spec.nodeName === node;
			case 'volumeattachments':
				return this.#objects.get(VOLUME_ATTACHMENTS, name)?.spec.nodeName === node;
		}
	}

	[Symbol.dispose](): void {
		this.#following[Symbol.dispose]();
	}

	#some(node: string, namespace: string, test: (refs: PodReferences) => boolean): boolean {
		for (const [key, refs] of this.#podsOf.get(node) ?? []) if (splitKey(key).namespace === namespace && test(refs)) return true;
		return false;
	}

	/** Secrets by which the node mounts a volume that is bound to a claim of its pods. */
	#secretOfVolume(node: string, namespace: string, name: string): boolean {
		for (const [key, refs] of this.#podsOf.get(node) ?? [])
			for (const claim of refs.claims) {
				const claimKey = `${splitKey(key).namespace}/${claim}`;
				const volumeName = this.#objects.get(PERSISTENT_VOLUME_CLAIMS, claimKey)?.spec?.volumeName ?? '';
				const volume = volumeName === '' ? undefined : this.#objects.get(PERSISTENT_VOLUMES, volumeName);
				const bound = volume?.spec?.claimRef;
				// Who makes a claim may name any volume; whose it is, the volume says.
				if (volume === undefined || `${bound?.namespace}/${bound?.name}` !== claimKey) continue;
				if (nodeSecretsOf(volume).some((secret) => secret.name === name && secret.namespace === namespace)) return true;
			}
		return false;
	}

	#setPod(key: Key, pod: Pod | undefined): void {
		const before = this.#nodeOf.get(key);
		const node = pod?.spec?.nodeName ?? '';
		if (before !== undefined && before !== node) {
			const pods = this.#podsOf.get(before);
			pods?.delete(key);
			if (pods?.size === 0) this.#podsOf.delete(before);
			this.#nodeOf.delete(key);
		}
		if (pod === undefined || node === '') return;
		const pods = this.#podsOf.get(node) ?? new Map<Key, PodReferences>();
		// A node must not give itself rights by pods that it makes.
		pods.set(key, isMirrorPod(pod) ? NOTHING : podReferences(pod));
		this.#podsOf.set(node, pods);
		this.#nodeOf.set(key, node);
	}
}
