/** [sig-storage] Secrets in volumes. */
import { CoreV1Api } from '@kubernetes/client-node';
import { refusal } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { CASES, isConsumable, source, type Case, type From } from './files.ts';

const FROM: From = { kind: 'Secret' };
const cases: readonly (readonly [string, Case])[] = [
	['[sig-storage] Secrets should be consumable from pods in volume [NodeConformance] [Conformance]', CASES.plain],
	[
		'[sig-storage] Secrets should be consumable from pods in volume as non-root with defaultMode and fsGroup set [LinuxOnly] [NodeConformance] [Conformance]',
		CASES.group,
	],
	[
		'[sig-storage] Secrets should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
		CASES.defaultMode,
	],
	['[sig-storage] Secrets should be consumable from pods in volume with mappings [NodeConformance] [Conformance]', CASES.mapped],
	[
		'[sig-storage] Secrets should be consumable from pods in volume with mappings and Item Mode set [LinuxOnly] [NodeConformance] [Conformance]',
		CASES.mappedMode,
	],
	['[sig-storage] Secrets should be consumable in multiple volumes in a pod [NodeConformance] [Conformance]', CASES.twice],
];
for (const [title, one] of cases) conformance(title, (world) => isConsumable(world, FROM, one));

conformance(
	'[sig-storage] Secrets should be able to mount in a volume regardless of a different secret existing with same name in different namespace [NodeConformance] [Conformance]',
	async (world) => {
		const core = world.api(CoreV1Api);
		const namespace = `${world.namespace}-other`;
		await core.createNamespace({ body: { metadata: { name: namespace } } });
		world.t.teardown(() => core.deleteNamespace({ name: namespace }));
		await source({ ...world, namespace }, FROM, 'source', { 'data-1': 'of the other' });
		await isConsumable(world, FROM, CASES.plain);
	},
);

conformance('[sig-storage] Secrets should be immutable if `immutable` field is set [Conformance]', async ({ t, api, namespace }) => {
	const core = api(CoreV1Api);
	const name = 'immutable';
	const put = async (change: object): Promise<number> => {
		const current = await core.readNamespacedSecret({ namespace, name });
		return (await refusal(core.replaceNamespacedSecret({ namespace, name, body: { ...current, ...change } }))).code;
	};
	await core.createNamespacedSecret({ namespace, body: { metadata: { name }, stringData: { key: 'one' } } });
	t.is(await put({ stringData: { key: 'two' } }), 200);
	t.is(await put({ immutable: true }), 200);
	t.is(await put({ stringData: { key: 'three' } }), 422);
	t.is(await put({ immutable: false }), 422);
	await core.deleteNamespacedSecret({ namespace, name });
});
