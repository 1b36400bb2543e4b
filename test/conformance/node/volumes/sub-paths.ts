/** [sig-storage] Subpath: one file of a volume that is written as a whole. */
import type { V1Volume } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { output } from '../pod.ts';
import { source } from './files.ts';

async function shows(
	world: World,
	volume: Omit<V1Volume, 'name'>,
	subPath: string,
	text: string,
	mountPath = '/probe/file',
): Promise<void> {
	const shown = await output(world, {
		script: `cat ${mountPath}`,
		container: { volumeMounts: [{ name: 'v', mountPath, subPath }] },
		spec: { volumes: [{ name: 'v', ...volume }] },
		metadata: { labels: { mylabel: 'of-the-pod' } },
	});
	world.t.is(shown, text);
}

conformance('[sig-storage] Subpath Atomic writer volumes should support subpaths with configmap pod [Conformance]', async (world) => {
	await source(world, { kind: 'ConfigMap' }, 'map', { 'configmap-key': 'of the map' });
	await shows(world, { configMap: { name: 'map' } }, 'configmap-key', 'of the map');
});

conformance(
	'[sig-storage] Subpath Atomic writer volumes should support subpaths with configmap pod with mountPath of existing file [Conformance]',
	async (world) => {
		await source(world, { kind: 'ConfigMap' }, 'map', { 'configmap-key': 'of the map' });
		await shows(world, { configMap: { name: 'map' } }, 'configmap-key', 'of the map', '/etc/passwd');
	},
);

conformance('[sig-storage] Subpath Atomic writer volumes should support subpaths with secret pod [Conformance]', async (world) => {
	await source(world, { kind: 'Secret' }, 'secret', { 'secret-key': 'of the secret' });
	await shows(world, { secret: { secretName: 'secret' } }, 'secret-key', 'of the secret');
});

conformance('[sig-storage] Subpath Atomic writer volumes should support subpaths with downward pod [Conformance]', async (world) => {
	const items = [{ path: 'downward/label', fieldRef: { fieldPath: "metadata.labels['mylabel']" } }];
	await shows(world, { downwardAPI: { items } }, 'downward/label', 'of-the-pod');
});

conformance('[sig-storage] Subpath Atomic writer volumes should support subpaths with projected pod [Conformance]', async (world) => {
	await source(world, { kind: 'ConfigMap' }, 'map', { 'configmap-key': 'of the map' });
	const items = [{ key: 'configmap-key', path: 'projected/key' }];
	await shows(world, { projected: { sources: [{ configMap: { name: 'map', items } }] } }, 'projected/key', 'of the map');
});
