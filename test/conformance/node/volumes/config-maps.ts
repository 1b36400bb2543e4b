/** [sig-storage] ConfigMap in volumes. */
import { CoreV1Api } from '@kubernetes/client-node';
import { refusal } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { output } from '../pod.ts';
import { CASES, isConsumable, type Case, type From } from './files.ts';

const FROM: From = { kind: 'ConfigMap' };
const cases: readonly (readonly [string, Case])[] = [
	['[sig-storage] ConfigMap should be consumable from pods in volume [NodeConformance] [Conformance]', CASES.plain],
	['[sig-storage] ConfigMap should be consumable from pods in volume as non-root [NodeConformance] [Conformance]', CASES.nonRoot],
	[
		'[sig-storage] ConfigMap should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
		CASES.defaultMode,
	],
	['[sig-storage] ConfigMap should be consumable from pods in volume with mappings [NodeConformance] [Conformance]', CASES.mapped],
	[
		'[sig-storage] ConfigMap should be consumable from pods in volume with mappings and Item mode set [LinuxOnly] [NodeConformance] [Conformance]',
		CASES.mappedMode,
	],
	[
		'[sig-storage] ConfigMap should be consumable from pods in volume with mappings as non-root [NodeConformance] [Conformance]',
		CASES.mappedNonRoot,
	],
	['[sig-storage] ConfigMap should be consumable in multiple volumes in the same pod [NodeConformance] [Conformance]', CASES.twice],
];
for (const [title, one] of cases) conformance(title, (world) => isConsumable(world, FROM, one));

conformance('[sig-storage] ConfigMap binary data should be reflected in volume [NodeConformance] [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const bytes = Buffer.from([0xde, 0xca, 0xfe, 0xba, 0xd0, 0xfe, 0xff]);
	const body = { metadata: { name: 'binary' }, data: { 'data-1': 'value-1' }, binaryData: { 'dump.bin': bytes.toString('base64') } };
	await api(CoreV1Api).createNamespacedConfigMap({ namespace, body });
	const text = await output(world, {
		script: 'cat /etc/v/data-1; echo; hexdump -v -e \'1/1 "%02x"\' /etc/v/dump.bin',
		container: { volumeMounts: [{ name: 'v', mountPath: '/etc/v' }] },
		spec: { volumes: [{ name: 'v', configMap: { name: 'binary' } }] },
	});
	t.is(text, `value-1\n${bytes.toString('hex')}`);
});

conformance('[sig-storage] ConfigMap should be immutable if `immutable` field is set [Conformance]', async ({ t, api, namespace }) => {
	const core = api(CoreV1Api);
	const name = 'immutable';
	const put = async (change: object): Promise<number> => {
		const current = await core.readNamespacedConfigMap({ namespace, name });
		return (await refusal(core.replaceNamespacedConfigMap({ namespace, name, body: { ...current, ...change } }))).code;
	};
	await core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { key: 'one' } } });
	t.is(await put({ data: { key: 'two' } }), 200);
	t.is(await put({ immutable: true }), 200);
	t.is(await put({ data: { key: 'three' } }), 422);
	t.is(await put({ immutable: false }), 422);
	t.is(await put({ metadata: { name, namespace, labels: { a: 'b' } } }), 200, 'its labels are not immutable');
	await core.deleteNamespacedConfigMap({ namespace, name });
});
