/** [sig-node] ConfigMap and Secrets in a container's environment. */
import { CoreV1Api, type V1EnvFromSource, type V1EnvVar } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { output } from '../pod.ts';

const DATA = { 'data-1': 'value-1', data_2: 'value-2', data_3: 'value-3' };

async function configMap({ api, namespace }: World): Promise<string> {
	await api(CoreV1Api).createNamespacedConfigMap({ namespace, body: { metadata: { name: 'source' }, data: DATA } });
	return 'source';
}
async function secret({ api, namespace }: World): Promise<string> {
	await api(CoreV1Api).createNamespacedSecret({ namespace, body: { metadata: { name: 'source' }, stringData: DATA } });
	return 'source';
}

async function environment(
	world: World,
	container: { readonly env?: V1EnvVar[]; readonly envFrom?: V1EnvFromSource[] },
): Promise<string[]> {
	return (await output(world, { container: { command: ['env'], ...container } })).split('\n');
}

function has({ t }: World, lines: readonly string[], wanted: readonly string[]): void {
	for (const line of wanted) t.true(lines.includes(line), `${line} in ${lines.join(' ')}`);
}

const WHOLE = ['data-1=value-1', 'data_2=value-2', 'data_3=value-3'];
/** Names that a shell would not take: dots, dashes, digits in front; the API takes any printable ASCII but "=". */
const PREFIXES = ['p_', '1-', 'p.', '$_'];
const PREFIXED = PREFIXES.flatMap((prefix) => WHOLE.map((line) => `${prefix}${line}`));

conformance('[sig-node] ConfigMap should be consumable via environment variable [NodeConformance] [Conformance]', async (world) => {
	const name = await configMap(world);
	const env = [{ name: 'ONE', valueFrom: { configMapKeyRef: { name, key: 'data-1' } } }];
	has(world, await environment(world, { env }), ['ONE=value-1']);
});

conformance('[sig-node] ConfigMap should be consumable via the environment [NodeConformance] [Conformance]', async (world) => {
	const name = await configMap(world);
	const lines = await environment(world, { envFrom: [{ configMapRef: { name } }, { prefix: 'p_', configMapRef: { name } }] });
	has(world, lines, [...WHOLE, ...WHOLE.map((line) => `p_${line}`)]);
});

conformance(
	'[sig-node] ConfigMap should be consumable as environment variable names with various prefixes [Conformance]',
	async (world) => {
		const name = await configMap(world);
		has(world, await environment(world, { envFrom: PREFIXES.map((prefix) => ({ prefix, configMapRef: { name } })) }), PREFIXED);
	},
);

conformance('[sig-node] Secrets should be consumable from pods in env vars [NodeConformance] [Conformance]', async (world) => {
	const name = await secret(world);
	const env = [{ name: 'ONE', valueFrom: { secretKeyRef: { name, key: 'data-1' } } }];
	has(world, await environment(world, { env }), ['ONE=value-1']);
});

conformance('[sig-node] Secrets should be consumable via the environment [NodeConformance] [Conformance]', async (world) => {
	const name = await secret(world);
	const lines = await environment(world, { envFrom: [{ secretRef: { name } }, { prefix: 'p_', secretRef: { name } }] });
	has(world, lines, [...WHOLE, ...WHOLE.map((line) => `p_${line}`)]);
});

conformance(
	'[sig-node] Secrets should be consumable as environment variable names variable names with various prefixes [Conformance]',
	async (world) => {
		const name = await secret(world);
		has(world, await environment(world, { envFrom: PREFIXES.map((prefix) => ({ prefix, secretRef: { name } })) }), PREFIXED);
	},
);
