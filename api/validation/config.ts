/** ConfigMaps, Secrets, Namespaces, ServiceAccounts, Nodes. */
import { duplicate, fieldForbidden, invalidValue, required, tooLong } from '../field-error.ts';
import type { ConfigMap, Namespace, Node, Secret, ServiceAccount } from '../gen/types.ts';
import { cidrComplaints } from './address-form.ts';
import { isCidr } from './ip.ts';
import { configKey, dnsLabel, dnsSubdomain, labelValue, qualifiedName } from './names.ts';
import { finalizerName, objectMeta, objectMetaUpdate } from './metadata.ts';
import { immutable, oneOf, same, texts, type Errors } from './rule.ts';
import { TAINT_EFFECTS } from './pod/scheduling.ts';
import { parseQuantity } from '../quantity.ts';
import { ACCOUNT_NAME, TOKEN_SECRET_TYPE } from '../token-secret.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: true };
const MAX_BYTES = 1_048_576;
const IMMUTABLE = 'field is immutable when `immutable` is set';

export function configMap(out: Errors, object: ConfigMap): void {
	objectMeta(out, object.metadata, META);
	let size = 0;
	for (const [key, value] of Object.entries(object.data ?? {})) {
		texts(out, `data[${key}]`, key, configKey(key));
		if (object.binaryData?.[key] !== undefined) out.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
		size += Buffer.byteLength(value);
	}
	for (const [key, value] of Object.entries(object.binaryData ?? {})) {
		texts(out, `binaryData[${key}]`, key, configKey(key));
		size += decodedBytes(value);
	}
	if (size > MAX_BYTES) out.push(tooLong('[]', MAX_BYTES));
}

const decodedBytes = (base64: string): number => Buffer.byteLength(base64, 'base64');

export function configMapUpdate(out: Errors, object: ConfigMap, old: ConfigMap): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (old.immutable === true) {
		if (object.immutable !== true) out.push(fieldForbidden('immutable', IMMUTABLE));
		for (const key of ['data', 'binaryData'] as const) if (!same(object[key], old[key])) out.push(fieldForbidden(key, IMMUTABLE));
	}
	configMap(out, object);
}

/** Keys that a type of Secret must have. */
const NEEDED: ReadonlyMap<string, readonly string[]> = new Map([
	['kubernetes.io/dockercfg', ['.dockercfg']],
	['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
	['kubernetes.io/ssh-auth', ['ssh-privatekey']],
	['kubernetes.io/tls', ['tls.crt', 'tls.key']],
]);

export function secret(out: Errors, object: Secret): void {
	objectMeta(out, object.metadata, META);
	const data = object.data ?? {};
	let size = 0;
	for (const [key, value] of Object.entries(data)) {
		texts(out, `data[${key}]`, key, configKey(key));
		size += decodedBytes(value);
	}
	if (size > MAX_BYTES) out.push(tooLong('data', MAX_BYTES));
	const { type = '' } = object;
	if (type === TOKEN_SECRET_TYPE && (object.metadata.annotations?.[ACCOUNT_NAME] ?? '') === '')
		out.push(required(`metadata.annotations[${ACCOUNT_NAME}]`));
	if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined)
		out.push(required('data[username]'), required('data[password]'));
	for (const key of NEEDED.get(type) ?? []) {
		const value = data[key];
		if (value === undefined || value === '') out.push(required(`data[${key}]`));
		else if (key.startsWith('.dockerc') && !isJson(value))
			out.push(invalidValue(`data[${key}]`, '<secret contents redacted>', 'invalid character'));
	}
}

function isJson(base64: string): boolean {
	try {
		JSON.parse(Buffer.from(base64, 'base64').toString());
		return true;
	} catch {
		return false;
	}
}

export function secretUpdate(out: Errors, object: Secret, old: Secret): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'type', object.type, old.type);
	if (old.immutable === true) {
		if (object.immutable !== true) out.push(fieldForbidden('immutable', IMMUTABLE));
		if (!same(object.data, old.data)) out.push(fieldForbidden('data', IMMUTABLE));
	}
	secret(out, object);
}

export function namespace(out: Errors, object: Namespace): void {
	objectMeta(out, object.metadata, { ...CLUSTER, name: dnsLabel });
	for (const name of object.spec?.finalizers ?? []) {
		texts(out, 'spec.finalizers', name, qualifiedName(name));
		finalizerName(out, 'spec.finalizers', name);
	}
}

export function namespaceUpdate(out: Errors, object: Namespace, old: Namespace): void {
	namespace(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
}

export function serviceAccount(out: Errors, object: ServiceAccount): void {
	objectMeta(out, object.metadata, META);
}

export function serviceAccountUpdate(out: Errors, object: ServiceAccount, old: ServiceAccount): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	serviceAccount(out, object);
}

export function node(out: Errors, object: Node): void {
	objectMeta(out, object.metadata, CLUSTER);
	taints(out, object);
	nodeAmounts(out, object);
	nodeFeatures(out, object);
	podRanges(out, object);
}

const WHOLE = new Set(['pods', 'persistentvolumeclaims', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps']);

function nodeAmounts(out: Errors, { status }: Node): void {
	for (const key of ['capacity', 'allocatable'] as const)
		for (const [name, value] of Object.entries(status?.[key] ?? {})) nodeAmount(out, `status.${key}.${name}`, name, value);
}

function nodeAmount(out: Errors, at: string, name: string, value: string | number): void {
	const { nano } = parseQuantity(value);
	if (nano < 0n) out.push(invalidValue(at, value, 'must be greater than or equal to 0'));
	if ((WHOLE.has(name) || (name.includes('/') && !name.includes('kubernetes.io/'))) && nano % 1_000_000_000n !== 0n)
		out.push(invalidValue(at, String(value), 'must be an integer'));
}

function taints(out: Errors, { spec }: Node): void {
	const seen = new Set<string>();
	for (const [i, { key = '', value = '', effect, timeAdded }] of (spec?.taints ?? []).entries()) {
		const at = `metadata.taints[${i}]`;
		texts(out, `${at}.key`, key, qualifiedName(key));
		const complaints = labelValue(value);
		if (complaints.length > 0) out.push(invalidValue(`${at}.value`, value, complaints.join(';')));
		if ((effect as string) === '') out.push(required(`${at}.effect`));
		else oneOf(out, `${at}.effect`, effect, TAINT_EFFECTS);
		const same = `${key}:${effect}`;
		if (seen.has(same)) {
			const taint = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
			const { message, ...error } = duplicate(at, taint);
			out.push({ ...error, message: `${message}: taints must be unique by key and effect pair` });
		}
		seen.add(same);
	}
}

function podRanges(out: Errors, { spec }: Node): void {
	const cidrs = spec?.podCIDRs ?? [];
	for (const [i, cidr] of cidrs.entries()) texts(out, `spec.podCIDRs[${i}]`, cidr, cidrComplaints(cidr));
	const families = cidrs.filter(isCidr).map((cidr) => cidr.includes(':'));
	if (families.length > 2 || (families.length === 2 && families[0] === families[1]))
		out.push(invalidValue('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'));
}

function nodeAddresses(out: Errors, { status }: Node): void {
	const seen = new Set<string>();
	for (const [i, { type = '', address = '' }] of (status?.addresses ?? []).entries()) {
		const value = { Type: type, Address: address };
		const key = JSON.stringify(value);
		if (seen.has(key)) out.push(duplicate(`status.addresses[${i}]`, value));
		seen.add(key);
	}
}

const MAX_FEATURE = 253;
const FEATURE = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z][A-Za-z0-9]*)*$/;
const FEATURE_TEXT =
	"must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

function nodeFeatures(out: Errors, { status }: Node): void {
	const features = status?.declaredFeatures ?? [];
	for (const [i, name] of features.entries()) {
		const at = `status.declaredFeatures[${i}]`;
		const before = features[i - 1];
		if (before === name) out.push(duplicate(at, name));
		else if (before !== undefined && before > name) out.push(invalidValue(at, name, 'list must be sorted alphabetically'));
		const why =
			name.length > MAX_FEATURE ? `must be no more than ${MAX_FEATURE} characters` : FEATURE.test(name) ? undefined : FEATURE_TEXT;
		if (why !== undefined) out.push(invalidValue(at, name, `invalid feature name ${JSON.stringify(name)}: ${why}`));
	}
}

/** What the kubelet tells of its node. */
export function nodeStatus(out: Errors, object: Node, old: Node): void {
	nodeStatusUpdate(out, object, old);
	nodeAmounts(out, object);
	nodeFeatures(out, object);
}

export function nodeUpdate(out: Errors, object: Node, old: Node): void {
	node(out, object);
	nodeStatusUpdate(out, object, old);
}

export function nodeStatusUpdate(out: Errors, object: Node, old: Node): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	nodeAddresses(out, object);
	const before = old.spec?.podCIDRs ?? [];
	if (before.length > 0 && !same(before, object.spec?.podCIDRs))
		out.push(fieldForbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
	if ((old.spec?.providerID ?? '') !== '' && old.spec?.providerID !== object.spec?.providerID)
		out.push(fieldForbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
	taints(out, object);
	if (old.spec !== undefined && (object.spec?.externalID ?? '') !== (old.spec.externalID ?? ''))
		out.push(fieldForbidden('spec.externalID', 'may not be updated'));
}
