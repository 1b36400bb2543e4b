/** [sig-node] NoExecuteTaintManager. The rest of the suite's pods bear the taints that are set here. */
import { CoreV1Api, type V1Node, type V1Taint, type V1Toleration } from '@kubernetes/client-node';
import { eventually } from '../../../tools/eventually.ts';
import { orGone } from '../../refusals.ts';
import { conformance, type World } from '../../suite.ts';
import { BOUND_MS, create, pause, read, STAYS, TAINTS, until } from '../pod.ts';

const other = (key: string): V1Toleration[] =>
	Object.values(TAINTS)
		.filter((k) => k !== key)
		.map((k) => ({ key: k, operator: 'Exists' }));

/** A pod that bears the taint for so long. */
const bearing = async (world: World, name: string, key: string, tolerationSeconds: number): Promise<string> => {
	const tolerations = [{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }, ...other(key)];
	await create(world, { name, script: STAYS, spec: { tolerations } });
	const pod = await until(world, name, 'runs', ({ status }) => status?.phase === 'Running');
	return pod.spec?.nodeName ?? '';
};

/** The list of taints is one value: it is read, and written when it is still the same. */
async function taints({ raw }: World, node: string, change: (taints: readonly V1Taint[]) => readonly V1Taint[]): Promise<void> {
	const path = `/api/v1/nodes/${node}`;
	await eventually('the node has other taints', async () => {
		const read = (await raw('GET', path)).json<V1Node>();
		const spec = { ...read.spec, taints: change(read.spec?.taints ?? []) };
		return (await raw('PUT', path, { body: { ...read, spec } })).code === 200;
	});
}

/** Resolves with what takes the taint away. */
async function tainted(world: World, node: string, key: string): Promise<() => Promise<void>> {
	const without = (all: readonly V1Taint[]): readonly V1Taint[] => all.filter((taint) => taint.key !== key);
	const clean = (): Promise<void> => taints(world, node, without);
	world.t.teardown(clean);
	await taints(world, node, (all) => [...without(all), { key, value: 'evict', effect: 'NoExecute' }]);
	return clean;
}

const leaves = (world: World, name: string): Promise<unknown> =>
	eventually(
		`${name} is evicted`,
		async () => {
			const pod = await orGone(read(world, name));
			return pod === undefined || pod.metadata?.deletionTimestamp !== undefined;
		},
		BOUND_MS,
	);

conformance(
	'[sig-node] NoExecuteTaintManager Single Pod [Serial] removing taint cancels eviction [Disruptive] [Conformance]',
	async (world) => {
		const { t } = world;
		const node = await bearing(world, 'kept', TAINTS.one, 30);
		const clean = await tainted(world, node, TAINTS.one);
		await pause(1_000);
		await clean();
		const { spec } = await world.api(CoreV1Api).readNode({ name: node });
		t.is(
			spec?.taints?.find(({ key }) => key === TAINTS.one),
			undefined,
		);
		await pause(32_000);
		t.is((await read(world, 'kept')).metadata?.deletionTimestamp, undefined);
	},
);

conformance(
	'[sig-node] NoExecuteTaintManager Multiple Pods [Serial] evicts pods with minTolerationSeconds [Disruptive] [Conformance]',
	async (world) => {
		const { t } = world;
		const [node] = await Promise.all([bearing(world, 'short', TAINTS.several, 1), bearing(world, 'long', TAINTS.several, 600)]);
		await tainted(world, node, TAINTS.several);
		await leaves(world, 'short');
		t.is((await read(world, 'long')).metadata?.deletionTimestamp, undefined);
		// The least of several counts.
		const path = `/api/v1/namespaces/${world.namespace}/pods/long`;
		const { spec } = await read(world, 'long');
		const least = { key: TAINTS.several, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 };
		const answer = await world.raw('PATCH', path, {
			headers: { 'content-type': 'application/merge-patch+json' },
			body: { spec: { tolerations: [...(spec?.tolerations ?? []), least] } },
		});
		t.is(answer.code, 200, answer.text);
		await leaves(world, 'long');
	},
);
