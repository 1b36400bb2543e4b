/** An apply configuration: YAML or JSON as sent, with nothing defaulted and nothing dropped. */
import { parseSentJson, repeatedKeys } from '../../../api/codec/json-text.ts';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { parseYaml } from '../../../api/codec/yaml.ts';
import { messageOf } from '../../../base/errors.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';

export interface Configuration {
	readonly object: KubeObject;
	/** Keys that stand more than once, as strict decoding complains of them; the last one counts. */
	readonly strict: string | undefined;
}

export function readConfiguration(bytes: Uint8Array, resource: Resource): Configuration {
	const { value: read, strict } = readText(Buffer.from(bytes).toString());
	const value = read ?? {};
	if (typeof value !== 'object' || Array.isArray(value)) {
		const problem = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
		throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
	}
	const object = value as KubeObject;
	const { apiVersion = '', kind = '' } = object;
	if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind)
		throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
	object.metadata ??= {};
	return { object, strict };
}

/** Most of what is applied is JSON, which is read many times faster than YAML; what is wrong with it, the YAML reader says. */
function readText(text: string): { readonly value: unknown; readonly strict: string | undefined } {
	if (text.startsWith('{')) {
		try {
			const value = parseSentJson(text);
			if (repeatedKeys(text, value).length === 0) return { value, strict: undefined };
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
		}
	}
	try {
		const { value, repeated } = parseYaml(text);
		if (repeated.length === 0) return { value, strict: undefined };
		const problems = repeated.map((r) => `\n  ${r}`).join('');
		return { value, strict: `error converting YAML to JSON: yaml: unmarshal errors:${problems}` };
	} catch (error) {
		throw badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`);
	}
}
