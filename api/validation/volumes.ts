/** Volumes of a pod: one source each, and what that source needs. */
import { duplicate, fieldForbidden, invalidValue, required } from '../field-error.ts';
import type { DownwardAPIVolumeFile, KeyToPath, Volume, VolumeProjection } from '../gen/types.ts';
import { parseQuantity } from '../quantity.ts';
import { fieldRef, resourceFieldRef } from './downward.ts';
import { configKey, dnsLabel, dnsSubdomain } from './names.ts';
import { localPath, noBacksteps } from './paths.ts';
import { oneOf, present, texts, type Errors } from './rule.ts';

type Sources = Readonly<Record<string, unknown>>;
type Rule = (out: Errors, path: string, volume: Volume) => void;

/** In upstream's order. */
const RULES: Readonly<Record<string, Rule>> = {
	emptyDir(out, path, { emptyDir }) {
		if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nano < 0n)
			out.push(fieldForbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
	},
	hostPath(out, path, { hostPath }) {
		const { path: given = '', type } = hostPath ?? {};
		if (!present(out, `${path}.path`, given)) return;
		noBacksteps(out, `${path}.path`, given);
		oneOf(out, `${path}.type`, type, ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']);
	},
	gitRepo(out, path, { gitRepo }) {
		present(out, `${path}.repository`, gitRepo?.repository);
	},
	gcePersistentDisk(out, path, { gcePersistentDisk }) {
		present(out, `${path}.pdName`, gcePersistentDisk?.pdName);
	},
	awsElasticBlockStore(out, path, { awsElasticBlockStore }) {
		present(out, `${path}.volumeID`, awsElasticBlockStore?.volumeID);
	},
	secret(out, path, { secret }) {
		present(out, `${path}.secretName`, secret?.secretName);
		mode(out, `${path}.defaultMode`, secret?.defaultMode);
		keyPaths(out, `${path}.items`, secret?.items ?? []);
	},
	nfs(out, path, { nfs }) {
		present(out, `${path}.server`, nfs?.server);
		if (present(out, `${path}.path`, nfs?.path) && nfs?.path.startsWith('/') !== true)
			out.push(invalidValue(`${path}.path`, nfs?.path, 'must be an absolute path'));
	},
	iscsi(out, path, { iscsi }) {
		present(out, `${path}.targetPortal`, iscsi?.targetPortal);
		const { iqn = '', lun = 0 } = iscsi ?? {};
		if (present(out, `${path}.iqn`, iqn) && !/^(iqn|eui|naa)\./.test(iqn))
			out.push(invalidValue(`${path}.iqn`, iqn, 'must be valid format starting with iqn, eui, or naa'));
		if (lun < 0 || lun > 255) out.push(invalidValue(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'));
	},
	persistentVolumeClaim(out, path, { persistentVolumeClaim }) {
		present(out, `${path}.claimName`, persistentVolumeClaim?.claimName);
	},
	downwardAPI(out, path, { downwardAPI }) {
		mode(out, `${path}.defaultMode`, downwardAPI?.defaultMode);
		for (const file of downwardAPI?.items ?? []) downwardFile(out, path, file);
	},
	configMap(out, path, { configMap }) {
		present(out, `${path}.name`, configMap?.name);
		mode(out, `${path}.defaultMode`, configMap?.defaultMode);
		keyPaths(out, `${path}.items`, configMap?.items ?? []);
	},
	projected(out, path, { projected }) {
		mode(out, `${path}.defaultMode`, projected?.defaultMode);
		projections(out, path, projected?.sources ?? []);
	},
	csi(out, path, { csi }) {
		csiDriver(out, `${path}.driver`, csi?.driver ?? '');
		if (csi?.nodePublishSecretRef !== undefined) present(out, `${path}.nodePublishSecretRef.name`, csi.nodePublishSecretRef.name);
	},
	image(out, path, { image }) {
		present(out, `${path}.reference`, image?.reference);
		oneOf(out, `${path}.pullPolicy`, image?.pullPolicy, ['Always', 'IfNotPresent', 'Never']);
	},
};

export function csiDriver(out: Errors, path: string, name: string): void {
	if (!present(out, path, name)) return;
	if (name.length > 63) out.push({ reason: 'FieldValueTooLong', field: path, message: 'Too long: may not be more than 63 bytes' });
	texts(out, path, name, dnsSubdomain(name.toLowerCase()));
}

export function volumes(out: Errors, path: string, list: readonly Volume[]): ReadonlySet<string> {
	const names = new Set<string>();
	for (const [i, volume] of list.entries()) {
		const at = `${path}[${i}]`;
		const found: Errors = [];
		oneSource(found, at, volume);
		if (present(found, `${at}.name`, volume.name)) {
			texts(found, `${at}.name`, volume.name, dnsLabel(volume.name));
			if (names.has(volume.name)) found.push(duplicate(`${at}.name`, volume.name));
		}
		out.push(...found);
		if (found.length === 0) names.add(volume.name);
	}
	return names;
}

function oneSource(out: Errors, at: string, volume: Volume): void {
	const given = volume as unknown as Sources;
	const others = Object.keys(given).filter((key) => key !== 'name' && given[key] !== undefined && !Object.hasOwn(RULES, key));
	const known = Object.keys(RULES).filter((key) => given[key] !== undefined);
	const all = [...known, ...others];
	if (all.length === 0) out.push(required(at, 'must specify a volume type'));
	for (const [i, key] of all.entries()) {
		if (i > 0) out.push(fieldForbidden(`${at}.${key}`, 'may not specify more than 1 volume type'));
		else RULES[key]?.(out, `${at}.${key}`, volume);
	}
}

function mode(out: Errors, path: string, value: number | undefined): void {
	if (value !== undefined && (value < 0 || value > 0o777))
		out.push(invalidValue(path, value, 'must be a number between 0 and 0777 (octal), both inclusive'));
}

function keyPaths(out: Errors, path: string, items: readonly KeyToPath[]): void {
	for (const [i, { key, path: target, mode: bits }] of items.entries()) {
		const at = `${path}[${i}]`;
		if (present(out, `${at}.key`, key)) texts(out, `${at}.key`, key, configKey(key));
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

function projections(out: Errors, path: string, sources: readonly VolumeProjection[]): void {
	const paths = new Set<string>();
	const take = (target: string | undefined, shown = target): void => {
		if (target === undefined || target === '') return;
		if (paths.has(target)) out.push(invalidValue(path, shown, 'conflicting duplicate paths'));
		paths.add(target);
	};
	for (const [i, source] of sources.entries()) {
		const at = `${path}.sources[${i}]`;
		const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
		let count = 0;
		const next = (): boolean => {
			if (count > 0) out.push(fieldForbidden(at, 'may not specify more than 1 volume type per source'));
			return count++ === 0;
		};
		for (const [key, projection] of Object.entries({ secret, configMap })) {
			if (projection === undefined || !next()) continue;
			present(out, `${at}.${key}.name`, projection.name);
			keyPaths(out, `${at}.${key}.items`, projection.items ?? []);
			for (const item of projection.items ?? []) take(item.path, projection.name);
		}
		if (downwardAPI !== undefined && next())
			for (const file of downwardAPI.items ?? []) {
				downwardFile(out, `${at}.downwardAPI`, file);
				take(file.path);
			}
		if (token !== undefined && next()) {
			const seconds = token.expirationSeconds ?? 0;
			if (seconds < TEN_MINUTES_S)
				out.push(invalidValue(`${at}.serviceAccountToken.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
			if (seconds > 2 ** 32)
				out.push(
					invalidValue(`${at}.serviceAccountToken.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'),
				);
			present(out, `${at}.serviceAccountToken.path`, token.path);
			take(token.path);
		}
	}
}
