/** [sig-storage] What changes in a ConfigMap or a Secret changes in the volumes of pods that run. */
import { CoreV1Api } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { conformance, type World } from '../../suite.ts';
import { nameOf, running, says } from '../pod.ts';
import { source, volumeOf, type From } from './files.ts';

/** Writes the folders' files whenever they are others than before. */
const watches = (...folders: readonly string[]): string =>
	`trap 'exit 0' TERM; while :; do now=$(cd /etc; for f in ${folders.map((f) => `${f}/*`).join(' ')}; do test -e $f && echo "$f=$(cat $f)"; done | tr '\\n' ' '); ` +
	`test "$now" = "$last" || echo "[$now]"; last=$now; sleep 0.3; done`;

const pathOf = ({ namespace }: World, { kind }: From, name: string): string =>
	`/api/v1/namespaces/${namespace}/${kind === 'ConfigMap' ? 'configmaps' : 'secrets'}/${name}`;
const dataOf = ({ kind }: From, data: Record<string, string>): object => (kind === 'ConfigMap' ? { data } : { stringData: data });

/** One that is changed, one that is deleted, one that comes later: all three optional. */
async function optional(world: World, from: From): Promise<void> {
	const { t, api, namespace } = world;
	await Promise.all(['deleted', 'changed'].map((name) => source(world, from, name, { 'data-1': 'value-1' })));
	const folders = ['deleted', 'changed', 'created'];
	const pod = await running(world, {
		script: watches(...folders),
		container: { volumeMounts: folders.map((name) => ({ name, mountPath: `/etc/${name}` })) },
		spec: { volumes: folders.map((name) => volumeOf(from, name, name, { optional: true })) },
	});
	await says(world, nameOf(pod), /^\[deleted\/data-1=value-1 changed\/data-1=value-1 \]$/m);
	const core = api(CoreV1Api);
	await (from.kind === 'ConfigMap'
		? core.deleteNamespacedConfigMap({ namespace, name: 'deleted' })
		: core.deleteNamespacedSecret({ namespace, name: 'deleted' }));
	t.is((await patch(world, pathOf(world, from, 'changed'), dataOf(from, { 'data-1': 'value-2', 'data-3': 'value-3' }))).code, 200);
	await source(world, from, 'created', { 'data-1': 'value-1' });
	await says(world, nameOf(pod), /^\[changed\/data-1=value-2 changed\/data-3=value-3 created\/data-1=value-1 \]$/m);
}

/** One value after another. */
async function updated(world: World, from: From): Promise<void> {
	await source(world, from, 'source', { 'data-1': 'value-1' });
	const pod = await running(world, {
		script: watches('v'),
		container: { volumeMounts: [{ name: 'v', mountPath: '/etc/v' }] },
		spec: { volumes: [volumeOf(from, 'v', 'source')] },
	});
	await says(world, nameOf(pod), /^\[v\/data-1=value-1 \]$/m);
	world.t.is((await patch(world, pathOf(world, from, 'source'), dataOf(from, { 'data-1': 'value-2' }))).code, 200);
	await says(world, nameOf(pod), /^\[v\/data-1=value-2 \]$/m);
}

const cases: readonly (readonly [string, From, (world: World, from: From) => Promise<void>])[] = [
	[
		'[sig-storage] ConfigMap optional updates should be reflected in volume [NodeConformance] [Conformance]',
		{ kind: 'ConfigMap' },
		optional,
	],
	['[sig-storage] ConfigMap updates should be reflected in volume [NodeConformance] [Conformance]', { kind: 'ConfigMap' }, updated],
	[
		'[sig-storage] Projected configMap optional updates should be reflected in volume [NodeConformance] [Conformance]',
		{ kind: 'ConfigMap', projected: true },
		optional,
	],
	[
		'[sig-storage] Projected configMap updates should be reflected in volume [NodeConformance] [Conformance]',
		{ kind: 'ConfigMap', projected: true },
		updated,
	],
	['[sig-storage] Secrets optional updates should be reflected in volume [NodeConformance] [Conformance]', { kind: 'Secret' }, optional],
	[
		'[sig-storage] Projected secret optional updates should be reflected in volume [NodeConformance] [Conformance]',
		{ kind: 'Secret', projected: true },
		optional,
	],
];
for (const [title, from, behaviour] of cases) conformance(title, (world) => behaviour(world, from));
