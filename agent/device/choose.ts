/** Which of a resource's devices a container gets (upstream devicemanager/manager.go, devicesToAllocate). Pure. */
import { AppError } from '../../base/errors.ts';
import { has, type Mask } from '../topology/mask.ts';

export interface Device {
	readonly id: string;
	readonly healthy: boolean;
	/** NUMA nodes that it is near to; none where the plugin does not say. */
	readonly nodes: readonly number[];
}

export interface Choice {
	readonly resource: string;
	readonly count: number;
	/** Of the pod's init containers: these come first. */
	readonly reusable: readonly string[];
	/** Healthy, and nobody has them. */
	readonly free: readonly Device[];
	/** Undefined: from anywhere. */
	readonly nodes: Mask | undefined;
}

/** What the plugin would rather have of those that are free, given that it must give the fixed ones; empty where it does not mind. */
export type Prefer = (available: readonly string[], fixed: readonly string[]) => Promise<readonly string[]>;

/** AppError when there are too few. */
export async function chooseDevices({ resource, count, reusable, free, nodes }: Choice, prefer: Prefer): Promise<readonly string[]> {
	const chosen = reusable.toSorted().slice(0, count);
	const missing = (): number => count - chosen.length;
	const take = (ids: readonly string[]): boolean => {
		chosen.push(...ids.filter((id) => !chosen.includes(id)).slice(0, missing()));
		return missing() === 0;
	};
	if (missing() === 0) return chosen;
	const left = free.filter(({ id }) => !chosen.includes(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
	if (left.length < missing())
		throw new AppError(
			'ResourceExhausted',
			`requested number of devices unavailable for ${resource}. Requested: ${missing()}, Available: ${left.length}`,
		);
	const all = left.map(({ id }) => id);
	const near = left.filter((device) => nodes !== undefined && device.nodes.some((node) => has(nodes, node))).map(({ id }) => id);
	const preferredOf = async (ids: readonly string[]): Promise<readonly string[]> => {
		const wished = await prefer([...ids, ...chosen], chosen);
		return wished.filter((id) => ids.includes(id));
	};
	if (near.length > missing()) {
		if (!take(await preferredOf(near))) take(near);
		return chosen;
	}
	if (take(near) || take(await preferredOf(all))) return chosen;
	take(left.filter((device) => device.nodes.length > 0).map(({ id }) => id));
	take(all);
	return chosen;
}
