/** Warnings on pods and pod templates: what is deprecated, ignored or ambiguous. Pure. */
import type { ContainerPort, PersistentVolumeClaimSpec, Pod, PodSpec, PodTemplateSpec, Volume } from '../gen/types.ts';
import { parseQuantity } from '../quantity.ts';

export function podWarnings({ metadata, spec }: Pod): readonly string[] {
	return specWarnings('', metadata.annotations ?? {}, spec);
}

/** @param path of the template */
export function podTemplateWarnings(path: string, { metadata, spec }: PodTemplateSpec): readonly string[] {
	return specWarnings(path, metadata?.annotations ?? {}, spec);
}

/** Volumes whose plugin is gone or going. */
const VOLUMES: readonly (readonly [key: Exclude<keyof Volume, number | symbol>, name: string, text: string])[] = [
	['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
	['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
	['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
	['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
	['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
	['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
	['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
	['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
	['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const LABELS: Readonly<Record<string, string>> = {
	'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
	'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
	'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
	'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
	'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const ANNOTATIONS: Readonly<Record<string, string>> = {
	'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
	'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
	'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

function specWarnings(path: string, annotations: Readonly<Record<string, string>>, spec: PodSpec | undefined): readonly string[] {
	const out: string[] = [];
	const meta = path === '' ? 'metadata' : `${path}.metadata`;
	const at = path === '' ? 'spec' : `${path}.spec`;
	if (spec === undefined) return out;
	for (const [key, text] of Object.entries(ANNOTATIONS))
		if (annotations[key] !== undefined) out.push(`${meta}.annotations[${key}]: ${text}`);
	labelWarnings(out, at, spec);
	volumeWarnings(out, at, spec);
	const secrets = new Set<string>();
	for (const [i, { name = '' }] of (spec.imagePullSecrets ?? []).entries()) {
		if (name === '') out.push(`${at}.imagePullSecrets[${i}].name: invalid empty name ""`);
		else if (secrets.has(name)) out.push(`${at}.imagePullSecrets[${i}].name: duplicate name ${JSON.stringify(name)}`);
		secrets.add(name);
	}
	for (const key of Object.keys(annotations).toSorted())
		if (key.startsWith(APP_ARMOR)) out.push(`${meta}.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
	containerWarnings(out, at, spec);
	if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
		out.push(`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
	return out;
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const NULL_SELECTOR = 'a null labelSelector results in matching no pod';

function labelWarnings(out: string[], at: string, spec: PodSpec): void {
	for (const key of Object.keys(spec.nodeSelector ?? {}).toSorted())
		if (LABELS[key] !== undefined) out.push(`${at}.nodeSelector[${key}]: ${LABELS[key]}`);
	const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
	const terms = (path: string, list: readonly { matchExpressions?: readonly { key: string }[] | undefined }[]): void => {
		for (const [i, { matchExpressions = [] }] of list.entries())
			for (const [j, { key }] of matchExpressions.entries())
				if (LABELS[key] !== undefined) out.push(`${path}[${i}].matchExpressions[${j}].key: ${key} is ${LABELS[key]}`);
	};
	const required = 'requiredDuringSchedulingIgnoredDuringExecution';
	const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
	terms(`${at}.affinity.nodeAffinity.${required}.nodeSelectorTerms`, nodeAffinity?.[required]?.nodeSelectorTerms ?? []);
	for (const [i, { preference }] of (nodeAffinity?.[preferred] ?? []).entries())
		for (const [j, { key }] of (preference.matchExpressions ?? []).entries())
			if (LABELS[key] !== undefined)
				out.push(`${at}.affinity.nodeAffinity.${preferred}[${i}].preference.matchExpressions[${j}].key: ${key} is ${LABELS[key]}`);
	for (const [i, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
		const path = `${at}.topologySpreadConstraints[${i}]`;
		if (LABELS[topologyKey] !== undefined) out.push(`${path}.topologyKey: ${topologyKey} is ${LABELS[topologyKey]}`);
		if (labelSelector === undefined) out.push(`${path}.labelSelector: ${NULL_SELECTOR}`);
	}
	for (const [name, affinity] of [
		['podAffinity', podAffinity],
		['podAntiAffinity', podAntiAffinity],
	] as const) {
		for (const [i, { labelSelector }] of (affinity?.[required] ?? []).entries())
			if (labelSelector === undefined) out.push(`${at}.affinity.${name}.${required}[${i}].labelSelector: ${NULL_SELECTOR}`);
		for (const [i, { podAffinityTerm }] of (affinity?.[preferred] ?? []).entries())
			if (podAffinityTerm.labelSelector === undefined)
				out.push(`${at}.affinity.${name}.${preferred}[${i}].podAffinityTerm.labelSelector: ${NULL_SELECTOR}`);
	}
}

/** Whole bytes are what can be had. */
export function claimWarnings(at: string, spec: PersistentVolumeClaimSpec | undefined): readonly string[] {
	const out: string[] = [];
	for (const key of ['requests', 'limits'] as const) fractions(out, `${at}.resources.${key}`, spec?.resources?.[key], 'storage');
	return out;
}

function fractions(
	out: string[],
	path: string,
	list: Readonly<Record<string, string | number>> | undefined,
	...names: readonly string[]
): void {
	for (const name of names) {
		const value = list?.[name];
		if (value !== undefined && parseQuantity(value).nano % 1_000_000_000n !== 0n)
			out.push(`${path}[${name}]: fractional byte value ${JSON.stringify(String(value))} is invalid, must be an integer`);
	}
}

/** A file and where it comes from, said when sources mix. */
interface Placed {
	readonly path: string;
	readonly from: string;
}

function overlaps(out: string[], name: string, plugin: string, files: readonly Placed[]): void {
	const seen: Placed[] = [];
	for (const file of files) {
		const other = seen.find(({ path }) => path === file.path || path.startsWith(`${file.path}/`) || file.path.startsWith(`${path}/`));
		const shown = ({ path, from }: Placed): string => `${JSON.stringify(path)}${from === '' ? '' : ` (${from})`}`;
		if (other !== undefined) out.push(`volume ${JSON.stringify(name)} (${plugin}): overlapping paths: ${shown(file)} with ${shown(other)}`);
		seen.push(file);
	}
}

function pathWarnings(out: string[], { name, configMap, secret, downwardAPI, projected, ephemeral }: Volume, at: string): void {
	const placed = (items: readonly { readonly path: string }[] | undefined, from = ''): Placed[] =>
		(items ?? []).map(({ path }) => ({ path, from }));
	if (configMap !== undefined) overlaps(out, name, `ConfigMap ${JSON.stringify(configMap.name ?? '')}`, placed(configMap.items));
	if (secret !== undefined) overlaps(out, name, `Secret ${JSON.stringify(secret.secretName ?? '')}`, placed(secret.items));
	if (downwardAPI !== undefined) overlaps(out, name, 'DownwardAPI', placed(downwardAPI.items));
	if (ephemeral !== undefined) out.push(...claimWarnings(`${at}.ephemeral.volumeClaimTemplate.spec`, ephemeral.volumeClaimTemplate?.spec));
	if (projected === undefined) return;
	const files: Placed[] = [];
	for (const source of projected.sources ?? []) {
		const given = Object.entries(source).filter(([, value]) => value !== undefined);
		if (given.length === 0) out.push(`volume ${JSON.stringify(name)} (Projected) has no sources provided`);
		if (source.configMap !== undefined)
			files.push(...placed(source.configMap.items, `ConfigMap ${JSON.stringify(source.configMap.name ?? '')}`));
		if (source.secret !== undefined) files.push(...placed(source.secret.items, `Secret ${JSON.stringify(source.secret.name ?? '')}`));
		if (source.downwardAPI !== undefined) files.push(...placed(source.downwardAPI.items, 'DownwardAPI'));
		if (source.serviceAccountToken !== undefined) files.push({ path: source.serviceAccountToken.path, from: 'ServiceAccountToken' });
	}
	overlaps(out, name, 'Projected', files);
}

function volumeWarnings(out: string[], at: string, { volumes = [] }: PodSpec): void {
	for (const [i, volume] of volumes.entries()) {
		for (const [key, name, text] of VOLUMES) if (volume[key] !== undefined) out.push(`${at}.volumes[${i}].${name}: ${text}`);
		pathWarnings(out, volume, `${at}.volumes[${i}]`);
	}
}

function containerWarnings(out: string[], at: string, spec: PodSpec): void {
	const ports: Seen[] = [];
	for (const list of ['initContainers', 'containers'] as const)
		for (const [i, { env = [], resources }] of (spec[list] ?? []).entries()) {
			const path = `${at}.${list}[${i}]`;
			for (const key of ['limits', 'requests'] as const) {
				const value = resources?.[key]?.['memory'];
				if (value !== undefined && parseQuantity(value).nano % 1_000_000_000n !== 0n)
					out.push(
						`${path}.resources.${key}[memory]: fractional byte value ${JSON.stringify(String(value))} is invalid, must be an integer`,
					);
			}
			const names = new Map<string, string | undefined>();
			for (const [j, { name, value = '' }] of env.entries()) {
				if (names.has(name) && !value.includes(`$(${name})`))
					out.push(`${path}.env[${j}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`);
				names.set(name, value);
			}
		}
	for (const list of ['initContainers', 'containers'] as const)
		for (const [i, { ports: own = [] }] of (spec[list] ?? []).entries()) portWarnings(out, `${at}.${list}[${i}]`, own, ports);
}

interface Seen {
	readonly path: string;
	readonly port: ContainerPort;
}

const portKey = ({ containerPort, protocol = '' }: ContainerPort): string => `${protocol}/${containerPort}`;
const hostKey = ({ hostPort = 0, hostIP = '' }: ContainerPort): string => `${hostIP}/${hostPort}`;

/** The same port again, or one that is the same but for the host's. */
function portWarnings(out: string[], path: string, list: readonly ContainerPort[], seen: Seen[]): void {
	for (const [i, port] of list.entries()) {
		const at = `${path}.ports[${i}]`;
		for (const other of seen) {
			if (portKey(other.port) !== portKey(port)) continue;
			if (hostKey(other.port) === hostKey(port)) out.push(`${at}: duplicate port definition with ${other.path}`);
			else if ((other.port.hostPort ?? 0) === 0 || (port.hostPort ?? 0) === 0)
				out.push(`${at}: overlapping port definition with ${other.path}`);
		}
		seen.push({ path: at, port });
	}
}
