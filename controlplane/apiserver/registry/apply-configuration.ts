/** An apply configuration: YAML or JSON as sent, with nothing defaulted and nothing dropped. */
import { parse } from 'yaml';
import { messageOf } from '../../../base/errors.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';

export function readConfiguration(bytes: Uint8Array, resource: Resource): KubeObject {
	let value: unknown;
	try {
		value = parse(Buffer.from(bytes).toString(), { version: '1.1', merge: true });
	} catch (error) {
		throw badRequest(`error decoding YAML: ${messageOf(error)}`);
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('error decoding YAML: not an object');
	const object = value as KubeObject;
	const expected = apiVersionOf(resource);
	if (object.apiVersion === undefined || object.kind === undefined) throw badRequest(`invalid object type: /, Kind=${object.kind ?? ''}`);
	if (object.apiVersion !== expected || object.kind !== resource.kind)
		throw badRequest(`the API version in the data (${object.apiVersion}) does not match the expected API version (${expected})`);
	object.metadata ??= {};
	return object;
}
