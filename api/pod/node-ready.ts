/** Whether a node says that it is ready. Pure. */
import type { Node } from '../gen/types.ts';

export function isNodeReady({ status }: Node): boolean {
	return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}
