/** YAML bodies: a large one is read elsewhere before it is decoded, so that nothing waits for it. */
import { AppError } from '../../base/errors.ts';
import { parseSentJson } from './json-text.ts';
import { yamlText } from './yaml-text.ts';
import { parseYaml, type YamlValue } from './yaml.ts';

/** What reading gave: the value as JSON, or why there is none. */
export type ReadYaml = { readonly json: string; readonly repeated: readonly string[] } | { readonly refused: string };

const ahead = new WeakMap<Uint8Array, ReadYaml>();

/** Remembers for as long as the bytes last. */
export function keepRead(bytes: Uint8Array, read: ReadYaml): void {
	ahead.set(bytes, read);
}

/** As parseYaml(). The value is the caller's own. */
export function parseYamlBody(bytes: Uint8Array): YamlValue {
	const read = ahead.get(bytes);
	if (read === undefined) return parseYaml(yamlText(bytes));
	if ('refused' in read) throw new AppError('InvalidArgument', read.refused);
	return { value: parseSentJson(read.json), repeated: read.repeated };
}
