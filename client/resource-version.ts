/** Which of two states of an object is the newer: resource versions are numbers that only grow (KEP-5504). */
import type { KubeObject } from '../api/resource.ts';

export function isOlderVersion(a: KubeObject, b: KubeObject): boolean {
	const [x, y] = [a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? ''];
	return x.length === y.length ? x < y : x.length < y.length;
}
