/** An apply configuration: YAML or JSON as sent, with nothing defaulted and nothing dropped. */
import { parseSentJson, repeatedKeys } from '../../../api/codec/json-text.ts';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { parseYamlBody } from '../../../api/codec/yaml-body.ts';
import { messageOf } from '../../../base/errors.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { apiVersionOf, type KubeObject } from '../../../api/resource.ts';
import { badRequest, StatusError } from '../../../api/status.ts';

export interface Configuration {
	readonly object: KubeObject;
	/** Keys that stand more than once, in the reader's words; the last one counts. */
	readonly repeated: readonly string[];
}

export function readConfiguration(bytes: Uint8Array, resource: KindName): Configuration {
	const { value: read, repeated } = readText(bytes);
	const value = read ?? {};
	if (typeof value !== 'object' || Array.isArray(value)) {
		const problem = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
		throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
	}
	const object = value as KubeObject;
	const text = (given: unknown): string => (typeof given === 'string' ? given : '');
	const [apiVersion, kind] = [text(object.apiVersion), text(object.kind)];
	if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind)
		throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
	return { object, repeated };
}

const BRACE = 0x7b;

/** Most of what is applied is JSON, which is read many times faster than YAML; what is wrong with it, the YAML reader says. */
function readText(bytes: Uint8Array): { readonly value: unknown; readonly repeated: readonly string[] } {
	if (bytes[0] === BRACE) {
		try {
			const text = Buffer.from(bytes).toString();
			const value = parseSentJson(text);
			if (repeatedKeys(text, value).length === 0) return { value, repeated: [] };
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
		}
	}
	try {
		return parseYamlBody(bytes);
	} catch (error) {
		if (error instanceof StatusError) throw error;
		throw badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`);
	}
}
