/** A configuration as Go reads it into its types: a field that is null is not there. Pure. */
import { parse } from 'yaml';

/** Null where there is nothing at all. Throws where it is no YAML. */
export function parseYaml(text: string): unknown {
	return (parse(text, withoutNull) as unknown) ?? null;
}

/** Items of lists stay: what they may be is for the reader to say. */
function withoutNull(this: unknown, _key: unknown, value: unknown): unknown {
	return value === null && !Array.isArray(this) ? undefined : value;
}
