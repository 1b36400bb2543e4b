/** What a write is about, for the `handles` of plugins. */
import type { Pod } from '../../../api/gen/types.ts';
import type { AdmissionAttributes } from '../contracts.ts';

/** True for the main resource (or the given subresource) of a group. */
export function isFor(attributes: AdmissionAttributes, group: string, resource: string, subresource = ''): boolean {
	return attributes.resource === resource && attributes.group === group && attributes.subresource === subresource;
}

export function isPod(attributes: AdmissionAttributes): boolean {
	return isFor(attributes, '', 'pods');
}

/** The object being written, when the caller knows its kind. */
export function written<T>(attributes: AdmissionAttributes): T {
	return attributes.object as unknown as T;
}

export function stored<T>(attributes: AdmissionAttributes): T | undefined {
	return attributes.oldObject as unknown as T | undefined;
}

/** A pod that mirrors a static pod of its node (annotation kubernetes.io/config.mirror). */
export function isMirrorPod(pod: Pod): boolean {
	return pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}
