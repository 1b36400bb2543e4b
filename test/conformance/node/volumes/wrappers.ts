/** [sig-storage] EmptyDir wrapper volumes: many volumes of ConfigMaps and Secrets in one pod do not get into each other's way. */
import { conformance, type World } from '../../suite.ts';
import { output } from '../pod.ts';
import { source, volumeOf, type From } from './files.ts';

const MAPS: From = { kind: 'ConfigMap' };
const SECRETS: From = { kind: 'Secret' };

conformance('[sig-storage] EmptyDir wrapper volumes should not conflict [Conformance]', async (world) => {
	await Promise.all([source(world, MAPS, 'same', { of: 'map' }), source(world, SECRETS, 'same', { of: 'secret' })]);
	const text = await output(world, {
		script: 'cat /map/of /secret/of',
		container: {
			volumeMounts: [
				{ name: 'map', mountPath: '/map', readOnly: true },
				{ name: 'secret', mountPath: '/secret', readOnly: true },
			],
		},
		spec: { volumes: [volumeOf(MAPS, 'map', 'same'), volumeOf(SECRETS, 'secret', 'same')] },
	});
	world.t.is(text, 'mapsecret');
});

const VOLUMES = 50;
const PODS = 5;

async function many(world: World): Promise<void> {
	const names = Array.from({ length: VOLUMES }, (_, i) => `racey-${i}`);
	const text = await output(world, {
		script: 'cat /v/*/data-1 | wc -c; ls /v | wc -l',
		container: { volumeMounts: names.map((name) => ({ name, mountPath: `/v/${name}` })) },
		spec: { volumes: names.map((name) => volumeOf(MAPS, name, name)) },
	});
	world.t.is(text, `${VOLUMES * 'value-1'.length}\n${VOLUMES}\n`);
}

conformance(
	'[sig-storage] EmptyDir wrapper volumes should not cause race condition when used for configmaps [Serial] [Conformance]',
	async (world) => {
		await Promise.all(Array.from({ length: VOLUMES }, (_, i) => source(world, MAPS, `racey-${i}`, { 'data-1': 'value-1' })));
		await Promise.all(Array.from({ length: PODS }, () => many(world)));
	},
);
