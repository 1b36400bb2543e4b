/** Sources of volumes that pods and PersistentVolumes share, by plugin: what each needs. In upstream's order for both. */
import { fieldForbidden, invalidValue, notSupported, required, tooLong } from '../../field-error.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { descending, noBacksteps } from '../paths.ts';
import { oneOf, present, texts, type Errors } from '../rule.ts';

type Json = Readonly<Record<string, unknown>>;
export type PluginRule = (out: Errors, path: string, source: Json) => void;

/** Fields that must be there, in order. */
const needs =
	(...fields: readonly string[]): PluginRule =>
	(out, path, source) => {
		for (const field of fields) present(out, `${path}.${field}`, source[field]);
	};

const all =
	(...rules: readonly PluginRule[]): PluginRule =>
	(out, path, source) => {
		for (const rule of rules) rule(out, path, source);
	};

const within =
	(field: string, low: number, high: number): PluginRule =>
	(out, path, source) => {
		const value = (source[field] as number | undefined) ?? 0;
		if (value !== 0 || low === 0) {
			if (value < low || value > high) out.push(invalidValue(`${path}.${field}`, value, `must be between ${low} and ${high}, inclusive`));
		}
	};

/** Fields that are labels where they are given. */
const labelled =
	(...fields: readonly string[]): PluginRule =>
	(out, path, source) => {
		for (const field of fields) {
			const value = (source[field] as string | undefined) ?? '';
			if (value !== '') texts(out, `${path}.${field}`, value, dnsLabel(value));
		}
	};

export const secretRef: PluginRule = (out, path, source) => {
	const ref = source['secretRef'] as Json | undefined;
	if (ref !== undefined) present(out, `${path}.secretRef.name`, ref['name']);
};

const HOST_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];
const AUTHORITY = /iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]/;
const IN_AUTHORITY = /[0-9A-Za-z.-]/;
const NOT_IN_NAME = /[,;*&$|\s]/;
const EUI = /^eui.[0-9A-Za-z]{16}$/;
const NAA = /^naa.[0-9A-Za-z]{32}$/;
/** Of the names of a volume and its portal, where an initiator is told. */
const MAX_PORTAL = 64;

/** Does the name of the volume leave no room for its portal's? */
export function isPortalTooLong(name: string, { targetPortal = '', initiatorName }: Json): boolean {
	return initiatorName !== undefined && Buffer.byteLength(`${name}:${targetPortal as string}`) > MAX_PORTAL;
}

export const PORTAL_TEXT = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_PORTAL} characters if iscsi.initiatorName is specified.`;

const STARTS = 'must be valid format starting with iqn, eui, or naa';

function iscsiName(out: Errors, path: string, name: string, otherwise: string): void {
	const starts = ['iqn', 'eui', 'naa'].find((start) => name.startsWith(start));
	if (starts === undefined) out.push(invalidValue(path, name, otherwise));
	else if (!(starts === 'iqn' ? isQualified(name) : (starts === 'eui' ? EUI : NAA).test(name)))
		out.push(invalidValue(path, name, 'must be valid format'));
}

/**
 * `iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+$`, from any place on, as upstream's pattern: part by part from the end, since that pattern would begin
 * anew at each `iqn.`, and its last part at each of its letters.
 */
function isQualified(name: string): boolean {
	const parts = name.split(':');
	for (let i = parts.length - 2; i >= 0; i--) {
		const behind = parts[i + 1] as string;
		if (NOT_IN_NAME.test(behind)) return false;
		if (i === parts.length - 2 && behind === '') continue;
		const part = parts[i] as string;
		let from = part.length;
		while (from > 0 && IN_AUTHORITY.test(part.charAt(from - 1))) from--;
		if (AUTHORITY.test(part.slice(from))) return true;
	}
	return false;
}

/** @param volume the name of a PersistentVolume, of which more is asked */
export function iscsiVolume(out: Errors, path: string, source: Json, volume?: string): void {
	const otherwise = volume === undefined ? STARTS : 'must be valid format';
	present(out, `${path}.targetPortal`, source['targetPortal']);
	if (volume !== undefined && isPortalTooLong(volume, source))
		out.push(invalidValue(`${path}.targetportal`, source['targetPortal'] ?? '', PORTAL_TEXT));
	const { iqn = '', lun = 0, initiatorName } = source as { iqn?: string; lun?: number; initiatorName?: string };
	if (present(out, `${path}.iqn`, iqn)) iscsiName(out, `${path}.iqn`, iqn, otherwise);
	if (lun < 0 || lun > 255) out.push(invalidValue(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'));
	const ref = source['secretRef'] as Json | undefined;
	if ((source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true) && ref === undefined)
		out.push(required(`${path}.secretRef`));
	if (volume !== undefined) secretRef(out, path, source);
	if (initiatorName !== undefined) iscsiName(out, `${path}.initiatorname`, initiatorName, otherwise);
}

const fc: PluginRule = (out, path, source) => {
	const { targetWWNs = [], wwids = [], lun } = source as { targetWWNs?: string[]; wwids?: string[]; lun?: number };
	if (targetWWNs.length === 0 && wwids.length === 0)
		out.push(required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
	if (targetWWNs.length > 0 && wwids.length > 0)
		out.push(invalidValue(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
	if (targetWWNs.length === 0) return;
	if (lun === undefined) out.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
	else if (lun < 0 || lun > 255) out.push(invalidValue(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'));
};

const flocker: PluginRule = (out, path, source) => {
	const { datasetName: name = '', datasetUUID: uuid = '' } = source as { datasetName?: string; datasetUUID?: string };
	if (name === '' && uuid === '') out.push(required(path, 'one of datasetName and datasetUUID is required'));
	if (name !== '' && uuid !== '')
		out.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
	if (name.includes('/')) out.push(invalidValue(`${path}.datasetName`, name, "must not contain '/'"));
};

const QUOBYTE = 'must be a host:port pair or multiple pairs separated by commas';
const quobyte: PluginRule = (out, path, source) => {
	const { registry = '', volume = '', tenant = '' } = source as { registry?: string; volume?: string; tenant?: string };
	if (registry === '') out.push(required(`${path}.registry`, QUOBYTE));
	else if (Buffer.byteLength(tenant) >= 65)
		out.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
	else
		for (const pair of registry.split(','))
			if (!/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair)) out.push(invalidValue(`${path}.registry`, registry, QUOBYTE));
	present(out, `${path}.volume`, volume);
};

const azureDisk: PluginRule = (out, path, source) => {
	needs('diskName', 'diskURI')(out, path, source);
	const { cachingMode, diskURI = '', kind } = source as { cachingMode?: string; diskURI?: string; kind?: string };
	oneOf(out, `${path}.cachingMode`, cachingMode, ['None', 'ReadOnly', 'ReadWrite']);
	oneOf(out, `${path}.kind`, kind, ['Dedicated', 'Managed', 'Shared']);
	if (kind !== 'Managed' && kind !== undefined && !diskURI.startsWith('https://'))
		out.push(notSupported(`${path}.diskURI`, diskURI, ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd']));
	if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
		out.push(
			notSupported(`${path}.diskURI`, diskURI, [
				'/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
			]),
		);
};

const flexVolume: PluginRule = (out, path, source) => {
	present(out, `${path}.driver`, source['driver']);
	for (const key of Object.keys((source['options'] as Json | undefined) ?? {}).toSorted()) {
		const [namespace = ''] = key.toLowerCase().split('/');
		const domain = `.${namespace}`;
		if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io'))
			out.push(invalidValue(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'));
	}
};

const absolute: PluginRule = (out, path, source) => {
	const given = (source['path'] as string | undefined) ?? '';
	present(out, `${path}.path`, given);
	if (!given.startsWith('/')) out.push(invalidValue(`${path}.path`, given, 'must be an absolute path'));
};

export function csiDriver(out: Errors, path: string, name: string): void {
	if (!present(out, path, name)) return;
	if (Buffer.byteLength(name) > 63) out.push(tooLong(path, 63));
	texts(out, path, name, dnsSubdomain(name.toLowerCase()));
}

/** Where errors of a source point to, if not to its field. */
const RULE_PATHS: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

/** By the field of the source. */
export const PLUGINS: Readonly<Record<string, PluginRule>> = {
	hostPath(out, path, source) {
		const { path: given = '', type } = source as { path?: string; type?: string };
		if (!present(out, `${path}.path`, given)) return;
		noBacksteps(out, `${path}.path`, given);
		oneOf(out, `${path}.type`, type, HOST_TYPES);
	},
	gitRepo(out, path, source) {
		present(out, `${path}.repository`, source['repository']);
		const directory = (source['directory'] as string | undefined) ?? '';
		descending(out, `${path}.directory`, directory);
	},
	gcePersistentDisk: all(needs('pdName'), within('partition', 1, 255)),
	awsElasticBlockStore: all(needs('volumeID'), within('partition', 1, 255)),
	nfs: all(needs('server'), absolute),
	iscsi: (out, path, source) => iscsiVolume(out, path, source),
	glusterfs: needs('endpoints', 'path'),
	rbd: needs('monitors', 'image'),
	cinder: all(needs('volumeID'), secretRef),
	cephfs: needs('monitors'),
	flocker,
	fc,
	flexVolume,
	azureFile: needs('secretName', 'shareName'),
	vsphereVolume: needs('volumePath'),
	quobyte,
	photonPersistentDisk: needs('pdID'),
	portworxVolume: needs('volumeID'),
	azureDisk,
	storageos: all(needs('volumeName'), labelled('volumeName', 'volumeNamespace'), secretRef),
	scaleIO: needs('gateway', 'system', 'volumeName'),
};

/** Checks the first source that is given, and forbids the others. */
export function onlySource(
	out: Errors,
	at: string,
	given: Json,
	order: readonly string[],
	rules: Readonly<Record<string, PluginRule>>,
	others: Readonly<Record<string, string>>,
	/** Checked even beside another. */
	always = '',
): void {
	const found = order.filter((key) => given[key] !== undefined);
	if (found.length === 0) out.push(required(at, 'must specify a volume type'));
	for (const [i, key] of found.entries()) {
		if (i > 0 && key !== always) out.push(fieldForbidden(`${at}.${others[key] ?? key}`, 'may not specify more than 1 volume type'));
		else rules[key]?.(out, `${at}.${RULE_PATHS[key] ?? key}`, given[key] as Json);
	}
}
