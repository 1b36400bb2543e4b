/** Warnings on the volumes of pods: plugins that are gone or going, and files that hide each other. Pure. */
import type { PersistentVolumeSpec, Volume, VolumeProjection } from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { claimWarnings } from './fractions.ts';

/** Of a pod's volumes, by field; the path is not always as it is written. */
const PLUGINS: readonly (readonly [key: Exclude<keyof Volume, number | symbol>, name: string, text: string])[] = [
	['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
	['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
	['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
	['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
	['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
	['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
	['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
];
const LATER_PLUGINS: typeof PLUGINS = [
	['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
	['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];
/** Of a PersistentVolume, in upstream's order. */
const PERSISTENT = ['cephfs', 'photonPersistentDisk', 'scaleIO', 'storageos', 'glusterfs', 'rbd'] as const;

export function volumeWarnings(at: string, volumes: readonly Volume[]): readonly string[] {
	const plugins = volumes.flatMap((volume, i) => {
		const path = `${at}.volumes[${i}]`;
		const told = (list: typeof PLUGINS): readonly string[] =>
			list.flatMap(([key, name, text]) => (volume[key] === undefined ? [] : [`${path}.${name}: ${text}`]));
		const template = volume.ephemeral?.volumeClaimTemplate;
		const claim = template === undefined ? [] : claimWarnings(`${path}.ephemeral.volumeClaimTemplate.spec`, template.spec);
		return [...told(PLUGINS), ...claim, ...told(LATER_PLUGINS)];
	});
	return [...plugins, ...volumes.flatMap(pathWarnings)];
}

export function persistentWarnings(spec: PersistentVolumeSpec): readonly string[] {
	return PERSISTENT.flatMap((wanted) => {
		const [, name, text] = [...PLUGINS, ...LATER_PLUGINS].find(([key]) => key === wanted) ?? [];
		return spec[wanted] === undefined ? [] : [`spec.${name}: ${text}`];
	});
}

/** A file and where it comes from, said when sources mix. */
interface Placed {
	readonly path: string;
	readonly from: string;
}

function pathWarnings({ name, configMap, secret, downwardAPI, projected }: Volume): readonly string[] {
	const out: string[] = [];
	const among = (plugin: string, items: Items): void => void out.push(...overlaps(name, plugin, [placed(items)]));
	if (configMap !== undefined) among(`ConfigMap ${goQuote(configMap.name ?? '')}`, configMap.items);
	if (secret !== undefined) among(`Secret ${goQuote(secret.secretName ?? '')}`, secret.items);
	if (downwardAPI !== undefined) among('DownwardAPI', downwardAPI.items);
	if (projected === undefined) return out;
	for (const source of projected.sources ?? [])
		if (Object.values(source).every((value) => value === undefined))
			out.push(`volume ${goQuote(name)} (Projected) has no sources provided`);
	return [...out, ...overlaps(name, 'Projected', (projected.sources ?? []).map(filesOf))];
}

type Items = readonly { readonly path: string }[] | undefined;

function placed(items: Items, from = ''): readonly Placed[] {
	return (items ?? []).map(({ path }) => ({ path, from }));
}

function filesOf(source: VolumeProjection): readonly Placed[] {
	const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
	if (configMap?.items !== undefined) return placed(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`);
	if (secret?.items !== undefined) return placed(secret.items, `Secret ${goQuote(secret.name ?? '')}`);
	if (downwardAPI?.items !== undefined) return placed(downwardAPI.items, 'DownwardAPI');
	if (serviceAccountToken !== undefined) return placed([serviceAccountToken], 'ServiceAccountToken');
	if (clusterTrustBundle !== undefined) {
		const { name, signerName = '', path } = clusterTrustBundle;
		return placed([{ path }], `ClusterTrustBundle ${goQuote(name ?? signerName)}`);
	}
	const { certificateChainPath = '', keyPath = '', credentialBundlePath = '' } = podCertificate ?? {};
	const files: readonly Placed[] = [
		{ path: certificateChainPath, from: 'PodCertificate chain' },
		{ path: keyPath, from: 'PodCertificate key' },
		{ path: credentialBundlePath, from: 'PodCertificate credential bundle' },
	];
	return files.filter(({ path }) => path !== '');
}

/** Each file with all before it that it hides, or that hide it. */
function overlaps(name: string, plugin: string, sources: readonly (readonly Placed[])[]): readonly string[] {
	const out: string[] = [];
	const seen: Placed[] = [];
	const shown = ({ path, from }: Placed): string => `${goQuote(path)}${from === '' ? '' : ` (${from})`}`;
	for (const { path: given, from } of sources.flat()) {
		const file = { path: given.replace(/\/+$/, ''), from };
		for (const other of file.path === '' ? [] : seen)
			if (other.path !== '' && (isIn(other.path, file.path) || isIn(file.path, other.path)))
				out.push(`volume ${goQuote(name)} (${plugin}): overlapping paths: ${shown(file)} with ${shown(other)}`);
		seen.push(file);
	}
	return out;
}

function isIn(path: string, folder: string): boolean {
	return `${path}/`.startsWith(`${folder}/`);
}
