/**
 * Objects in etcd as upstream writes them, so that either can read what the other wrote: built-in kinds in protobuf, custom resources,
 * their definitions and API services in JSON.
 */
import { apiVersionOf, type KubeObject } from '../../../api/resource.ts';
import { decodeObject } from '../../../api/codec/codec.ts';
import { decodeEnvelope, encodeEnvelope, isEnveloped } from '../../../api/codec/envelope.ts';
import { parseJson } from '../../../api/codec/json-text.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { NO_RULE, type Sealing } from '../../storage/encryption/sealing.ts';
import type { StoredForm } from '../../storage/etcd/stored-form.ts';
import type { Encoded } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import { builtInKinds } from '../registry/built-in-kinds.ts';
import type { Kind } from '../registry/kinds.ts';
import { RESOURCES } from '../../../api/resources.ts';
import type { Family } from '../allocation/ip-range.ts';
import { BETA_DEFINITION, fromBeta } from './beta-definition.ts';
import { completed } from './completed.ts';
import { KeyLayout } from './key-layout.ts';

/** Groups that upstream's servers keep as JSON. */
const JSON_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
const LENIENT = { strictness: 'Ignore', warn: () => {} } as const;

/** `prefix`: upstream's --etcd-prefix with slashes around it; `primary`: the family of the first service range; `isJson`: everything is written as JSON. */
export function upstreamForm(
	prefix = '/registry/',
	sealing: Sealing = () => undefined,
	primary: Family = 'IPv4',
	isJson = false,
): StoredForm {
	const kinds = builtInKinds(RESOURCES);
	const layout = new KeyLayout(prefix, kinds);
	const versions = new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.resource.kind}`, kind]));
	return {
		prefix,
		toKey: (key) => layout.toKey(key),
		fromKey: (etcdKey) => layout.fromKey(etcdKey),
		toValue(key, { bytes }) {
			const kind = layout.kindOf(key);
			const json = isJson || layout.isCustom(key) || (kind !== undefined && JSON_GROUPS.has(kind.resource.group));
			const message = json ? undefined : encodeEnvelope(objectOf(bytes));
			return sealing(key)?.seal(layout.toKey(key), message ?? bytes) ?? message ?? bytes;
		},
		fromValue(key, given) {
			const { bytes, stale } = (sealing(key) ?? NO_RULE).open(layout.toKey(key), given);
			const object = isEnveloped(bytes) ? decodeEnvelope(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : objectOf(bytes);
			const kind = layout.kindOf(key);
			const value =
				kind === undefined
					? plain(object as unknown as KubeObject)
					: kind.encode(completed(inStoredVersion(kind, object, versions), primary));
			return stale ? Object.defineProperty(value, 'stale', { value: true }) : value;
		},
	};
}

function objectOf(bytes: Uint8Array): Record<string, unknown> {
	try {
		return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Record<string, unknown>;
	} catch (cause) {
		throw new AppError('InvalidArgument', `the value is neither protobuf nor JSON: ${messageOf(cause)}`, { cause });
	}
}

/** Defaulted, and converted where another server stores another version. */
function inStoredVersion(kind: Kind, object: Readonly<Record<string, unknown>>, versions: ReadonlyMap<string, Kind>): KubeObject {
	const name = `${String(object['apiVersion'])}/${String(object['kind'])}`;
	if (name === BETA_DEFINITION) return inStoredVersion(kind, fromBeta(object), versions);
	const given = versions.get(name);
	if (given === undefined) throw new AppError('InvalidArgument', `objects of ${name} cannot be read; ${apiVersionOf(kind.resource)} can`);
	const decoded = decodeObject(object, given.resource, LENIENT) as unknown as KubeObject;
	return given.conversion === undefined ? decoded : given.conversion.toStored(decoded);
}

/** A custom resource: what its selectable fields are is known only when somebody selects by them. */
function plain({ metadata, ...rest }: KubeObject): Encoded {
	const object = { ...rest, metadata: { creationTimestamp: null, ...metadata } } as unknown as KubeObject;
	const { bytes, versionAt, labels } = encode(object, { labels: { ...object.metadata.labels }, fields: {} });
	let fields: Record<string, string> | undefined;
	return {
		bytes,
		versionAt,
		labels,
		get fields() {
			return (fields ??= leaves(objectOf(bytes)));
		},
	};
}

/** Every scalar by its dotted path. */
function leaves(object: object): Record<string, string> {
	const found: Record<string, string> = {};
	const walk = (value: unknown, path: string): void => {
		if (typeof value === 'object' && value !== null) {
			if (!Array.isArray(value)) for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
		} else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
			found[path] = String(value);
	};
	walk(object, '');
	return found;
}
