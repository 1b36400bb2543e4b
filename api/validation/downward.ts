/** References from a pod to its own fields, to resources of its containers, and to keys of ConfigMaps and Secrets. */
import { invalidValue, notSupported, required } from '../field-error.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../gen/types.ts';
import { configKey, qualifiedName } from './names.ts';
import { oneOf, present, texts, type Errors } from './rule.ts';

const ENV = [
	'metadata.name',
	'metadata.namespace',
	'metadata.uid',
	'spec.nodeName',
	'spec.serviceAccountName',
	'status.hostIP',
	'status.hostIPs',
	'status.podIP',
	'status.podIPs',
];
const VOLUME = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
const KNOWN = new Set([...ENV, ...VOLUME, 'metadata.labels', 'metadata.annotations', 'spec.host', 'spec.restartPolicy', 'status.phase']);
const RESOURCES = [
	'limits.cpu',
	'limits.ephemeral-storage',
	'limits.memory',
	'requests.cpu',
	'requests.ephemeral-storage',
	'requests.memory',
];

export function fieldRef(out: Errors, path: string, { apiVersion = '', fieldPath }: ObjectFieldSelector, use: 'env' | 'volume'): void {
	if (apiVersion === '') {
		out.push(required(`${path}.apiVersion`));
		return;
	}
	if (!present(out, `${path}.fieldPath`, fieldPath)) return;
	const subscript = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(fieldPath);
	if (subscript !== null) {
		const [, root, key = ''] = subscript;
		texts(out, path, key, qualifiedName(root === 'metadata.annotations' ? key.toLowerCase() : key));
		return;
	}
	if (!KNOWN.has(fieldPath)) {
		out.push(invalidValue(`${path}.fieldPath`, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`));
		return;
	}
	const supported = use === 'env' ? ENV : VOLUME;
	if (!supported.includes(fieldPath)) out.push(notSupported(`${path}.fieldPath`, fieldPath, supported));
}

export function resourceFieldRef(
	out: Errors,
	path: string,
	{ containerName = '', resource }: ResourceFieldSelector,
	volume: boolean,
): void {
	if (volume && containerName === '') out.push(required(`${path}.containerName`));
	else if (resource === '') out.push(required(`${path}.resource`));
	else if (!/^(limits|requests)\.hugepages-/.test(resource)) oneOf(out, `${path}.resource`, resource, RESOURCES);
}

export function keyRef(out: Errors, path: string, { name = '', key }: { readonly name?: string | undefined; readonly key: string }): void {
	present(out, `${path}.name`, name);
	if (present(out, `${path}.key`, key)) texts(out, `${path}.key`, key, configKey(key));
}
