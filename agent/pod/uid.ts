/** The uid of a pod that the API or a manifest has given one. Pure. */
import type { Pod } from '../../api/gen/types.ts';

export function uidOf(pod: Pod): string {
	return pod.metadata.uid ?? '';
}
