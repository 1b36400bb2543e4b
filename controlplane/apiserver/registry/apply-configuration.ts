/** An apply configuration: YAML or JSON as sent, with nothing defaulted and nothing dropped; a repeated key is refused. */
import { parseJson, repeatedKeys } from '../../../api/codec/json-text.ts';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { parseYaml } from '../../../api/codec/yaml.ts';
import { messageOf } from '../../../base/errors.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { badRequest, StatusError } from '../../../api/status.ts';

export function readConfiguration(bytes: Uint8Array, resource: Resource): KubeObject {
	const value = read(Buffer.from(bytes).toString()) ?? {};
	if (typeof value !== 'object' || Array.isArray(value)) {
		const problem = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
		throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
	}
	const object = value as KubeObject;
	const { apiVersion = '', kind = '' } = object;
	if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind)
		throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
	object.metadata ??= {};
	return object;
}

/** Most of what is applied is JSON, which is read many times faster than YAML; what is wrong with it, the YAML reader says. */
function read(text: string): unknown {
	if (text.startsWith('{')) {
		try {
			const value = parseJson(text);
			if (repeatedKeys(text, value).length === 0) return value;
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
		}
	}
	try {
		const { value, repeated } = parseYaml(text);
		if (repeated.length === 0) return value;
		throw badRequest(
			`error decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${repeated.map((r) => `\n  ${r}`).join('')}`,
		);
	} catch (error) {
		throw error instanceof StatusError ? error : badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`);
	}
}
