/** Whether the swap of containers can be limited here, and to what. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CgroupTree } from '../../host/cgroup-tree.ts';
import type { SwapRules } from '../runtime/runtime.ts';

/** Undefined where the kernel does not count what groups swap. @param capacityBytes of the machine's swap */
export async function swapRules(tree: CgroupTree, behavior: SwapRules['behavior'], capacityBytes: number): Promise<SwapRules | undefined> {
	const { version } = tree;
	// The root of version 2 has no limits.
	const groups = version === 2 ? (await tree.children('/')).map((name) => `/${name}`) : ['/'];
	const counts = groups.some((group) => {
		const found = tree.pathsOf(group);
		return existsSync(
			found.version === 2 ? join(found.path, 'memory.swap.max') : join(found.paths['memory'] ?? '', 'memory.memsw.limit_in_bytes'),
		);
	});
	return counts ? { behavior, version, capacityBytes } : undefined;
}
