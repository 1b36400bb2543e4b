/** YAML (and JSON) of configurations. What is wrong is told with its place, never with what stands there: it may be a secret. Pure. */
import { LineCounter, parse, YAMLParseError } from 'yaml';

type Options = Exclude<Parameters<typeof parse>[2], undefined>;

/** A configuration as Go reads it into its types: a field that is null is not there. Null where there is nothing at all. Throws where it is no YAML. */
export function parseYaml(text: string): unknown {
	return readYaml(text, {}, withoutNull) ?? null;
}

/** As it stands there. Throws where it is no YAML. */
export function readYaml(text: string, options: Options = {}, reviver?: (this: unknown, key: unknown, value: unknown) => unknown): unknown {
	const lineCounter = new LineCounter();
	const given = { ...options, prettyErrors: false, lineCounter };
	try {
		return reviver === undefined ? parse(text, given) : parse(text, reviver, given);
	} catch (error) {
		if (error instanceof YAMLParseError) error.message += placeOf(lineCounter, error.pos[0]);
		throw error;
	}
}

function placeOf(lines: LineCounter, offset: number): string {
	const { line, col } = lines.linePos(offset);
	return line > 0 ? ` at line ${line}, column ${col}` : '';
}

/** Items of lists stay: what they may be is for the reader to say. */
function withoutNull(this: unknown, _key: unknown, value: unknown): unknown {
	return value === null && !Array.isArray(this) ? undefined : value;
}
