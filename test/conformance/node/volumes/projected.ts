/** [sig-storage] Projected volumes: one source, and all of them together. */
import { conformance } from '../../suite.ts';
import { nameOf, ended, logOf } from '../pod.ts';
import { CASES, isConsumable, source, type Case, type From } from './files.ts';

const MAPS: From = { kind: 'ConfigMap', projected: true };
const SECRETS: From = { kind: 'Secret', projected: true };
const cases: readonly (readonly [string, From, Case])[] = [
	['[sig-storage] Projected configMap should be consumable from pods in volume [NodeConformance] [Conformance]', MAPS, CASES.plain],
	[
		'[sig-storage] Projected configMap should be consumable from pods in volume as non-root [NodeConformance] [Conformance]',
		MAPS,
		CASES.nonRoot,
	],
	[
		'[sig-storage] Projected configMap should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
		MAPS,
		CASES.defaultMode,
	],
	[
		'[sig-storage] Projected configMap should be consumable from pods in volume with mappings [NodeConformance] [Conformance]',
		MAPS,
		CASES.mapped,
	],
	[
		'[sig-storage] Projected configMap should be consumable from pods in volume with mappings and Item mode set [LinuxOnly] [NodeConformance] [Conformance]',
		MAPS,
		CASES.mappedMode,
	],
	[
		'[sig-storage] Projected configMap should be consumable from pods in volume with mappings as non-root [NodeConformance] [Conformance]',
		MAPS,
		CASES.mappedNonRoot,
	],
	[
		'[sig-storage] Projected configMap should be consumable in multiple volumes in the same pod [NodeConformance] [Conformance]',
		MAPS,
		CASES.twice,
	],
	['[sig-storage] Projected secret should be consumable from pods in volume [NodeConformance] [Conformance]', SECRETS, CASES.plain],
	[
		'[sig-storage] Projected secret should be consumable from pods in volume as non-root with defaultMode and fsGroup set [LinuxOnly] [NodeConformance] [Conformance]',
		SECRETS,
		CASES.group,
	],
	[
		'[sig-storage] Projected secret should be consumable from pods in volume with defaultMode set [LinuxOnly] [NodeConformance] [Conformance]',
		SECRETS,
		CASES.defaultMode,
	],
	[
		'[sig-storage] Projected secret should be consumable from pods in volume with mappings [NodeConformance] [Conformance]',
		SECRETS,
		CASES.mapped,
	],
	[
		'[sig-storage] Projected secret should be consumable from pods in volume with mappings and Item Mode set [LinuxOnly] [NodeConformance] [Conformance]',
		SECRETS,
		CASES.mappedMode,
	],
	[
		'[sig-storage] Projected secret should be consumable in multiple volumes in a pod [NodeConformance] [Conformance]',
		SECRETS,
		CASES.twice,
	],
];
for (const [title, from, one] of cases) conformance(title, (world) => isConsumable(world, from, one));

conformance(
	'[sig-storage] Projected combined should project all components that make up the projection API [Projection] [NodeConformance] [Conformance]',
	async (world) => {
		await source(world, MAPS, 'map', { 'configmap-data': 'of the map' });
		await source(world, SECRETS, 'secret', { 'secret-data': 'of the secret' });
		const sources = [
			{ downwardAPI: { items: [{ path: 'podname', fieldRef: { fieldPath: 'metadata.name' } }] } },
			{ secret: { name: 'secret', items: [{ key: 'secret-data', path: 'secret/data' }] } },
			{ configMap: { name: 'map', items: [{ key: 'configmap-data', path: 'map/data' }] } },
			{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
		];
		const pod = await ended(world, {
			script: 'cd /all; for f in podname secret/data map/data; do cat $f; echo; done; cut -d. -f1 token | base64 -d 2>/dev/null',
			container: { volumeMounts: [{ name: 'all', mountPath: '/all', readOnly: true }] },
			spec: { volumes: [{ name: 'all', projected: { sources } }] },
		});
		const lines = (await logOf(world, nameOf(pod))).split('\n');
		world.t.deepEqual(lines.slice(0, 3), [nameOf(pod), 'of the secret', 'of the map']);
		world.t.regex(lines[3] ?? '', /"alg":/);
	},
);
