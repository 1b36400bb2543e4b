/** References from a pod to its own fields, to resources of its containers, and to keys of ConfigMaps and Secrets. */
import { fieldNotFound, invalidValue, notSupported, required } from '../../field-error.ts';
import type { FileKeySelector, ObjectFieldSelector, PodSpec, ResourceFieldSelector } from '../../gen/types.ts';
import { containersOf } from './containers-of.ts';
import { configKey, dnsLabel, dnsSubdomain, envName, qualifiedName } from '../names.ts';
import { noBacksteps } from '../paths.ts';
import { oneOf, present, texts, type Errors } from '../rule.ts';

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
	if (apiVersion !== 'v1') {
		out.push(invalidValue(`${path}.fieldPath`, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`));
		return;
	}
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
	{ containerName = '', resource, divisor }: ResourceFieldSelector,
	volume: boolean,
): void {
	if (volume && containerName === '') out.push(required(`${path}.containerName`));
	else if (resource === '') out.push(required(`${path}.resource`));
	else if (!/^(limits|requests)\.hugepages-/.test(resource)) oneOf(out, `${path}.resource`, resource, RESOURCES);
	checkDivisor(out, `${path}.divisor`, resource, divisor);
}

const CPU_DIVISORS = ['1m', '1'];
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function checkDivisor(out: Errors, path: string, resource: string, divisor: string | number | undefined): void {
	if (divisor === undefined || String(divisor) === '0') return;
	const [, name = ''] = /^(?:limits|requests)\.(.*)$/.exec(resource) ?? [];
	const say = (text: string): void => void out.push(invalidValue(path, resource, text));
	if (name === 'cpu') {
		if (!CPU_DIVISORS.includes(String(divisor))) say("only divisor's values 1m and 1 are supported with the cpu resource");
	} else if (name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) {
		const shown = name === 'memory' ? 'memory' : name === 'ephemeral-storage' ? 'local ephemeral storage' : 'hugepages';
		if (!BYTE_DIVISORS.includes(String(divisor)))
			say(`only divisor's values ${BYTE_DIVISORS.join(', ')} are supported with the ${shown} resource`);
	}
}

/** A value read from a file in a volume of the pod. */
export function fileKeyRef(out: Errors, at: string, { key, volumeName, path }: FileKeySelector): void {
	if (present(out, `${at}.key`, key)) texts(out, `${at}.key`, key, envName(key));
	if (present(out, `${at}.volumeName`, volumeName)) texts(out, `${at}.volumeName`, volumeName, dnsLabel(volumeName));
	if (present(out, `${at}.path`, path)) noBacksteps(out, `${at}.path`, path);
}

/** What is wrong with a volume is told before: here it only has to be there. */
export function fileKeyVolumes(out: Errors, path: string, spec: PodSpec): void {
	const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
	for (const [at, { env = [] }] of containersOf(path, spec))
		for (const [i, { valueFrom }] of env.entries()) {
			if (valueFrom?.fileKeyRef === undefined) continue;
			const { volumeName } = valueFrom.fileKeyRef;
			const where = `${at}.env[${i}].valueFrom.fileKeyRef.volumeName`;
			const volume = volumes.get(volumeName);
			if (volume === undefined) out.push(fieldNotFound(where, volumeName));
			else if (volume.emptyDir === undefined) out.push(invalidValue(where, volumeName, 'referenced volume must be of type emptyDir'));
		}
}

export function keyRef(out: Errors, path: string, { name = '', key }: { readonly name?: string | undefined; readonly key: string }): void {
	texts(out, `${path}.name`, name, dnsSubdomain(name));
	if (present(out, `${path}.key`, key)) texts(out, `${path}.key`, key, configKey(key));
}
