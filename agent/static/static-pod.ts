/**
 * Static pods: from a manifest to the Pod that this node runs, and to the mirror that the API shows of it. Pure. Upstream's rules of
 * pkg/kubelet/config/common.go; the uid is a hash of what was written and of where, so that another manifest is another pod.
 */
import { createHash } from 'node:crypto';
import type { Node, Pod } from '../../api/gen/types.ts';
import { decodeObject } from '../../api/codec/codec.ts';
import type { FieldError } from '../../api/field-error.ts';
import { podCreate } from '../../api/validation/pod/pod.ts';
import { apiReference } from '../../api/pod/api-reference.ts';
import { timeOf } from '../../api/time.ts';
import { AppError } from '../../base/errors.ts';

export const SOURCE = 'kubernetes.io/config.source';
export const SEEN = 'kubernetes.io/config.seen';
export const HASH = 'kubernetes.io/config.hash';
export const MIRROR = 'kubernetes.io/config.mirror';

export interface Origin {
	readonly source: 'file' | 'http';
	/** The file's path or the URL. */
	readonly place: string;
	readonly nodeName: string;
	/** When it was read, ms since the epoch. */
	readonly now: number;
}

/** AppError InvalidArgument says what is wrong with the manifest. */
export function staticPod(manifest: unknown, origin: Origin): Pod {
	const { source, place, nodeName, now } = origin;
	const pod = decodeObject(manifest, { group: '', version: 'v1', kind: 'Pod' }, { strictness: 'Ignore', warn: () => {} }) as unknown as Pod;
	const uid = pod.metadata.uid || hashOf(manifest, source, nodeName, place);
	const { name = '', namespace, annotations } = pod.metadata;
	if (name === '') throw new AppError('InvalidArgument', 'the manifest has no metadata.name');
	const { status: _status, ...rest } = pod;
	const made: Pod = {
		...rest,
		metadata: {
			...pod.metadata,
			uid,
			name: `${name}-${nodeName.toLowerCase()}`,
			namespace: namespace || 'default',
			annotations: { ...annotations, [HASH]: uid, [SOURCE]: source, [SEEN]: timeOf(now) },
		},
		spec: {
			...pod.spec,
			containers: pod.spec?.containers ?? [],
			nodeName,
			// Taints of the node do not end what is there for the node.
			...(source === 'file' ? { tolerations: [...(pod.spec?.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }] } : {}),
		},
	};
	const errors: FieldError[] = [];
	podCreate(errors, made);
	const faults = [...errors.map((e) => `${e.field}: ${e.message}`), ...apiFaults(made)];
	if (faults.length > 0) throw new AppError('InvalidArgument', faults.join('; '));
	return made;
}

/** A static pod may not lean on objects of the API: it runs without one. */
function apiFaults(pod: Pod): readonly string[] {
	const referred = apiReference(pod);
	if (referred === undefined) return [];
	return ['unknown' in referred ? `unknown ${referred.unknown}` : `static pods may not reference ${referred.what}`];
}

/** What the API shows of it. */
export function mirrorOf(pod: Pod, node: Node): Pod {
	const { name = '', uid = '' } = node.metadata;
	const { uid: _uid, resourceVersion: _version, creationTimestamp: _at, generation: _generation, ...metadata } = pod.metadata;
	return {
		metadata: {
			...metadata,
			annotations: { ...metadata.annotations, [MIRROR]: hashOfPod(pod) },
			ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid, controller: true }],
		},
		...(pod.spec === undefined ? {} : { spec: pod.spec }),
	};
}

export function isStatic(pod: Pod): boolean {
	const source = pod.metadata.annotations?.[SOURCE];
	return (source === 'file' || source === 'http') && !isMirror(pod);
}

/** A pod as the API has it. Whether it is static is not for it to say: the node does not turn such pods away, nor ends them when it is short of something. */
export function ofApi(pod: Pod): Pod {
	if (!isStatic(pod)) return pod;
	const { annotations } = pod.metadata;
	return { ...pod, metadata: { ...pod.metadata, annotations: { ...annotations, [SOURCE]: 'api' } } };
}

export function isMirror(pod: Pod): boolean {
	return pod.metadata.annotations?.[MIRROR] !== undefined;
}

/** The uid under which the node runs what the API shows: a mirror's is that of its static pod. */
function runningUid(pod: Pod): string {
	return pod.metadata.annotations?.[MIRROR] ?? pod.metadata.uid ?? '';
}

/** What runs here: the API's pods and the static ones, which the API may not show yet. A mirror stands with the uid of what it shows. */
export function runningPods(shown: readonly Pod[], statics: readonly Pod[]): readonly Pod[] {
	const api = shown.map((pod) => (isMirror(pod) ? { ...pod, metadata: { ...pod.metadata, uid: runningUid(pod) } } : pod));
	return [...api, ...statics.filter((pod) => !api.some((p) => p.metadata.uid === pod.metadata.uid))];
}

export function hashOfPod(pod: Pod): string {
	return pod.metadata.annotations?.[HASH] ?? '';
}

function hashOf(manifest: unknown, ...where: readonly string[]): string {
	return createHash('sha256')
		.update(JSON.stringify([manifest, ...where]))
		.digest('hex')
		.slice(0, 32);
}
