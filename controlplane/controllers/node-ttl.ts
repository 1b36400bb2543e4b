/** Tells kubelets how long they may keep secrets and config maps, by the size of the cluster (upstream's pkg/controller/ttl). */
import { keyOf } from '../../api/resource.ts';
import { NODES } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import type { Reconciler } from './reconciler.ts';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/** Steps overlap, so that a cluster at their edge does not go back and forth. */
const STEPS = [
	{ least: 0, most: 100, seconds: 0 },
	{ least: 90, most: 500, seconds: 15 },
	{ least: 450, most: 1000, seconds: 30 },
	{ least: 900, most: 2000, seconds: 60 },
	{ least: 1800, most: Infinity, seconds: 300 },
] as const;

/** The step for that many nodes, coming from another. Pure. */
export function ttlStep(step: number, nodes: number): number {
	let at = step;
	while (nodes > (STEPS[at]?.most ?? Infinity)) at++;
	while (nodes < (STEPS[at]?.least ?? 0)) at--;
	return at;
}

export function ttlSeconds(step: number): number {
	return STEPS[step]?.seconds ?? 0;
}

/** Keys are nodes. */
export function nodeTtl(client: Client, informers: Informers): Reconciler {
	const nodes = informers.get(NODES);
	let step = 0;
	return {
		sources: [
			keysFrom(nodes, ({ before, after }) => {
				const had = step;
				step = ttlStep(step, nodes.lister.list().length);
				const changed = (after ?? before) as NonNullable<typeof after>;
				return step === had ? [keyOf(changed)] : nodes.lister.list().map(keyOf);
			}),
		],
		async reconcile(key, signal) {
			const node = nodes.lister.get(key);
			const seconds = String(ttlSeconds(step));
			if (node === undefined || node.metadata.annotations?.[ANNOTATION] === seconds) return;
			const body = { metadata: { annotations: { [ANNOTATION]: seconds } } };
			await client.patch(NODES, key, { type: 'strategic', body }, { signal }).catch(ignore('NotFound'));
		},
	};
}
