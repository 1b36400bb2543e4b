/** An apply configuration: YAML or JSON as sent, with nothing defaulted and nothing dropped. */
import { parse } from 'yaml';
import { messageOf } from '../../../base/errors.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';

export function readConfiguration(bytes: Uint8Array, resource: Resource): KubeObject {
	let value: unknown;
	try {
		value = parse(Buffer.from(bytes).toString(), { version: '1.1', merge: true, uniqueKeys: false });
	} catch (error) {
		throw badRequest(`error decoding YAML: ${messageOf(error)}`);
	}
	if (value === null || value === undefined) value = {};
	if (typeof value !== 'object' || Array.isArray(value)) throw badRequest('error decoding YAML: not an object');
	const object = value as KubeObject;
	const { apiVersion = '', kind = '' } = object;
	if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind)
		throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
	object.metadata ??= {};
	return object;
}
