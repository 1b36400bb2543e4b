/** Volumes of a pod: one source each, and what that source needs. */
import { duplicate, fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type { DownwardAPIVolumeFile, KeyToPath, Pod, Volume, VolumeProjection } from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { parseQuantity } from '../../quantity.ts';
import { fieldRef, resourceFieldRef } from './downward.ts';
import type { PodOptions } from './options.ts';
import { claimSpec } from '../storage/claim-spec.ts';
import { templateMeta } from '../metadata.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { localPath } from '../paths.ts';
import { oneOf, present, texts, type Errors } from '../rule.ts';
import { csiDriver, isPortalTooLong, onlySource, PLUGINS, PORTAL_TEXT, type PluginRule } from '../storage/volume-plugins.ts';

/** In upstream's order. */
const ORDER = [
	'emptyDir',
	'hostPath',
	'gitRepo',
	'gcePersistentDisk',
	'awsElasticBlockStore',
	'secret',
	'nfs',
	'iscsi',
	'glusterfs',
	'flocker',
	'persistentVolumeClaim',
	'rbd',
	'cinder',
	'cephfs',
	'quobyte',
	'downwardAPI',
	'fc',
	'flexVolume',
	'configMap',
	'azureFile',
	'vsphereVolume',
	'photonPersistentDisk',
	'portworxVolume',
	'azureDisk',
	'storageos',
	'projected',
	'scaleIO',
	'csi',
	'ephemeral',
	'image',
];
const OTHER_PATHS = { downwardAPI: 'downwarAPI', cephfs: 'cephFS' };

const only =
	(rule: (out: Errors, path: string, volume: Volume) => void, key: keyof Volume): PluginRule =>
	(out, path, source) =>
		rule(out, path, { name: '', [key]: source } as unknown as Volume);

const RULES: Readonly<Record<string, PluginRule>> = {
	...PLUGINS,
	emptyDir: only((out, path, { emptyDir }) => {
		if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nano < 0n)
			out.push(fieldForbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
	}, 'emptyDir'),
	secret: only((out, path, { secret }) => {
		present(out, `${path}.secretName`, secret?.secretName);
		mode(out, `${path}.defaultMode`, secret?.defaultMode);
		keyPaths(out, `${path}.items`, secret?.items ?? []);
	}, 'secret'),
	persistentVolumeClaim: only((out, path, { persistentVolumeClaim }) => {
		present(out, `${path}.claimName`, persistentVolumeClaim?.claimName);
	}, 'persistentVolumeClaim'),
	downwardAPI: only((out, path, { downwardAPI }) => {
		mode(out, `${path}.defaultMode`, downwardAPI?.defaultMode);
		for (const file of downwardAPI?.items ?? []) downwardFile(out, path, file);
	}, 'downwardAPI'),
	configMap: only((out, path, { configMap }) => {
		present(out, `${path}.name`, configMap?.name);
		mode(out, `${path}.defaultMode`, configMap?.defaultMode);
		keyPaths(out, `${path}.items`, configMap?.items ?? []);
	}, 'configMap'),
	csi: only((out, path, { csi }) => {
		csiDriver(out, `${path}.driver`, csi?.driver ?? '');
		const { nodePublishSecretRef: secret } = csi ?? {};
		// A wrong name is told of without the reference it is in.
		if (secret !== undefined && present(out, `${path}.nodePublishSecretRef.name`, secret.name))
			texts(out, `${path}.name`, secret.name, dnsSubdomain(secret.name ?? ''));
	}, 'csi'),
	ephemeral: only((out, path, { ephemeral }) => {
		const template = ephemeral?.volumeClaimTemplate;
		const at = `${path}.volumeClaimTemplate`;
		if (template === undefined) {
			out.push(required(at));
			return;
		}
		templateMeta(out, `${at}.metadata`, template.metadata);
		claimSpec(out, `${at}.spec`, template.spec ?? {});
	}, 'ephemeral'),
	image: only((out, path, { image }) => {
		if (image?.pullPolicy === '') out.push(required(`${path}.pullPolicy`));
		else oneOf(out, `${path}.pullPolicy`, image?.pullPolicy, ['Always', 'IfNotPresent', 'Never']);
	}, 'image'),
};

/** An image's name is asked of pods, not of templates. */
const rulesOf = (options: PodOptions, pod: Pod | undefined): Readonly<Record<string, PluginRule>> => ({
	...RULES,
	projected: only((out, path, { projected }) => {
		mode(out, `${path}.defaultMode`, projected?.defaultMode);
		projections(out, path, projected?.sources ?? [], options);
	}, 'projected'),
	image: (out, path, source) => {
		if (pod !== undefined) present(out, `${path}.reference`, source['reference']);
		RULES['image']?.(out, path, source);
	},
});

/** @param pod where they are a pod's own, which claims may be made for */
export function volumes(out: Errors, path: string, list: readonly Volume[], options: PodOptions, pod?: Pod): ReadonlyMap<string, Volume> {
	const names = new Map<string, Volume>();
	const rules = rulesOf(options, pod);
	const podName = pod?.metadata.name ?? '';
	const made = new Set(
		podName === '' ? [] : list.flatMap(({ name, ephemeral }) => (ephemeral === undefined ? [] : [`${podName}-${name}`])),
	);
	for (const [i, volume] of list.entries()) {
		const at = `${path}[${i}]`;
		const found: Errors = [];
		onlySource(found, at, volume as unknown as Readonly<Record<string, unknown>>, ORDER, rules, OTHER_PATHS);
		namedAfter(found, at, volume, podName);
		if (present(found, `${at}.name`, volume.name)) {
			texts(found, `${at}.name`, volume.name, dnsLabel(volume.name));
			if (names.has(volume.name)) found.push(duplicate(`${at}.name`, volume.name));
		}
		out.push(...found);
		if (found.length === 0) names.set(volume.name, volume);
		const { claimName = '' } = volume.persistentVolumeClaim ?? {};
		const text = 'must not reference a PVC that gets created for an ephemeral volume';
		if (made.has(claimName)) out.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claimName, text));
	}
	return names;
}

/** What is named after the volume has room for its name. */
function namedAfter(out: Errors, at: string, volume: Volume, podName: string): void {
	const { name, iscsi, ephemeral } = volume;
	if (iscsi !== undefined && isPortalTooLong(name, iscsi as unknown as Readonly<Record<string, unknown>>))
		out.push(invalidValue(`${at}.name`, name, PORTAL_TEXT));
	const isOnly = ORDER.find((key) => volume[key as keyof Volume] !== undefined) === 'ephemeral';
	if (ephemeral === undefined || !isOnly || podName === '' || name === '') return;
	const claim = `${podName}-${name}`;
	for (const text of dnsSubdomain(claim)) out.push(invalidValue(`${at}.name`, name, `PVC name ${goQuote(claim)}: ${text}`));
}

function mode(out: Errors, path: string, value: number | undefined): void {
	if (value !== undefined && (value < 0 || value > 0o777))
		out.push(invalidValue(path, value, 'must be a number between 0 and 0777 (octal), both inclusive'));
}

function keyPaths(out: Errors, path: string, items: readonly KeyToPath[]): void {
	for (const [i, { key, path: target, mode: bits }] of items.entries()) {
		const at = `${path}[${i}]`;
		present(out, `${at}.key`, key);
		if (present(out, `${at}.path`, target)) localPath(out, `${at}.path`, target);
		mode(out, `${at}.mode`, bits);
	}
}

function downwardFile(out: Errors, path: string, file: DownwardAPIVolumeFile): void {
	if (present(out, `${path}.path`, file.path)) localPath(out, `${path}.path`, file.path);
	if (file.fieldRef !== undefined) {
		fieldRef(out, `${path}.fieldRef`, file.fieldRef, 'volume');
		if (file.resourceFieldRef !== undefined)
			out.push(invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
	} else if (file.resourceFieldRef !== undefined) resourceFieldRef(out, `${path}.resourceFieldRef`, file.resourceFieldRef, true);
	else out.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
	mode(out, `${path}.mode`, file.mode);
}

const TEN_MINUTES_S = 600;

function projections(out: Errors, path: string, sources: readonly VolumeProjection[], options: PodOptions): void {
	const paths = new Set<string>();
	const take = (target: string | undefined, shown = target): void => {
		if (target === undefined || target === '') return;
		if (paths.has(target)) out.push(invalidValue(path, shown, 'conflicting duplicate paths'));
		paths.add(target);
	};
	for (const [i, source] of sources.entries()) {
		const at = `${path}.sources[${i}]`;
		const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
		for (const [key, projection] of Object.entries({ secret, configMap })) {
			if (projection === undefined) continue;
			present(out, `${at}.${key}.name`, projection.name);
			keyPaths(out, `${at}.${key}.items`, projection.items ?? []);
			for (const item of projection.items ?? []) take(item.path, projection.name);
		}
		for (const file of downwardAPI?.items ?? []) {
			downwardFile(out, `${at}.downwardAPI`, file);
			take(file.path);
		}
		if (token !== undefined) {
			const seconds = token.expirationSeconds ?? 0;
			if (seconds < TEN_MINUTES_S)
				out.push(invalidValue(`${at}.serviceAccountToken.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
			if (seconds > 2 ** 32)
				out.push(
					invalidValue(`${at}.serviceAccountToken.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'),
				);
			if (present(out, `${path}.path`, token.path) && !options.has('outsideTokenPaths')) localPath(out, `${path}.path`, token.path);
		}
		if ([secret, configMap, downwardAPI, token].filter((one) => one !== undefined).length > 1)
			out.push(fieldForbidden(at, 'may not specify more than 1 volume type per source'));
	}
}
