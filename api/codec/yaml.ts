/** YAML bodies as Go's YAML 1.1 reader takes them: dates and "12:30" stay strings, only the first document counts, repeated keys are found. */
import { isCollection, isNode, isScalar, LineCounter, visit, type Document, type ScalarTag, type Tags } from 'yaml';
import { AppError } from '../../base/errors.ts';
import { wellFormed } from './well-formed.ts';
import { firstDocument, tooDeep, type YamlOptions } from './yaml-document.ts';
import { GO_NUMBERS, NOT_FINITE } from './yaml-scalars.ts';
import { requestEntityTooLarge } from '../status.ts';
import { isValueTooDeep } from './depth.ts';
import { goYamlError, isError } from './yaml-errors.ts';
import { parseJson } from './json-text.ts';
import { writeYaml } from './yaml-write.ts';

export interface YamlValue {
	readonly value: unknown;
	/** One text a key that is set again: `line 7: key "x" already set in map`. */
	readonly repeated: readonly string[];
}

const OPTIONS: YamlOptions = {
	version: '1.1',
	merge: true,
	uniqueKeys: false,
	prettyErrors: false,
	logLevel: 'error',
	customTags: goTags,
};

/** Dates and collections of YAML 1.1 that Go's reader does not know, and what it reads in its own way. */
const UNKNOWN_TO_GO = new Set([
	'tag:yaml.org,2002:int',
	'tag:yaml.org,2002:float',
	'tag:yaml.org,2002:timestamp',
	'tag:yaml.org,2002:omap',
	'tag:yaml.org,2002:pairs',
	'tag:yaml.org,2002:set',
	'tag:yaml.org,2002:binary',
]);

/** Go decodes binary into a string. */
const BINARY: ScalarTag = { tag: 'tag:yaml.org,2002:binary', resolve: (text: string) => Buffer.from(text, 'base64').toString() };

function goTags(tags: Tags): Tags {
	const kept = tags.filter((tag) => typeof tag === 'string' || !UNKNOWN_TO_GO.has(tag.tag));
	return [BINARY, NOT_FINITE, ...GO_NUMBERS, ...kept];
}

/** The reader takes up to 0.7 s and 200 MB for so much, if it is made for that: what is read in the event loop is no larger. */
export const MAX_YAML_BYTES = 256 * 1024;

/** AppError InvalidArgument, `yaml: ...`, for what is no YAML; StatusError RequestEntityTooLarge. */
export function parseYaml(text: string, limit = MAX_YAML_BYTES): YamlValue {
	if (text.length > limit) throw requestEntityTooLarge(limit);
	if (CONTROLS.test(text)) throw new AppError('InvalidArgument', 'yaml: control characters are not allowed');
	const unix = OLD_BREAKS.test(text) ? text.replaceAll(OLD_BREAK, '\n') : text;
	return readYaml(unix);
}

/** What YAML has no place for; all but tabs, line breaks and what can be printed. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]/;
/** Line breaks of YAML 1.1 that the reader does not know. */
const OLD_BREAKS = /\r(?!\n)|\x85/;
const OLD_BREAK = /\r(?!\n)|\x85/g;

function readYaml(text: string): YamlValue {
	const lines = new LineCounter();
	const document = firstDocument(text, { ...OPTIONS, lineCounter: lines });
	if (document === undefined) return { value: null, repeated: [] };
	const error = document.errors.find(isError);
	if (error !== undefined) throw new AppError('InvalidArgument', `yaml: ${goYamlError(error, text, lines)}`, { cause: error });
	const repeated = repeatedKeys(document, lines);
	if (REFUSED_ESCAPES.test(text)) refuseEscapes(document, text, lines);
	const plain = plainValue(document);
	if (isValueTooDeep(plain)) throw tooDeep();
	if (/\.(?:inf|nan)/i.test(text)) refuseNotFinite(plain);
	return { value: wellFormed(text, plain), repeated };
}

/** What the reader takes and Go's does not; only where the text has such is it looked for. */
const REFUSED_ESCAPES = /\\(?:\/|u[dD][89a-fA-F]|U0000[dD][89a-fA-F])/;
const ESCAPES = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|[^])/g;

/** Go's reader takes no halves of characters, not even two of them, and no slashes that need no escape. */
function refuseEscapes(document: Document, text: string, lines: LineCounter): void {
	visit(document, {
		Scalar(_at, { type, range }) {
			if (type !== 'QUOTE_DOUBLE' || range === undefined || range === null) return;
			for (const { 0: escape, index } of text.slice(range[0], range[1]).matchAll(ESCAPES)) {
				if (!REFUSED_ESCAPES.test(escape)) continue;
				const { line } = lines.linePos(range[0] + index);
				const why = escape === '\\/' ? 'found unknown escape character' : 'found invalid Unicode character escape code';
				throw new AppError('InvalidArgument', `yaml: ${line > 1 ? `line ${line}: ` : ''}${why}`);
			}
		},
	});
}

function plainValue(document: Document): unknown {
	try {
		return document.toJS();
	} catch (error) {
		const unknown = error instanceof ReferenceError ? /^Unresolved alias .*: (.*)$/.exec(error.message) : null;
		if (unknown !== null) throw new AppError('InvalidArgument', `yaml: unknown anchor '${unknown[1] ?? ''}' referenced`, { cause: error });
		if (error instanceof ReferenceError)
			throw new AppError('InvalidArgument', 'yaml: document contains excessive aliasing', { cause: error });
		if (error instanceof Error && error.message.startsWith('Merge sources'))
			throw new AppError('InvalidArgument', 'yaml: map merge requires map or sequence of maps as the value', { cause: error });
		throw error;
	}
}

function repeatedKeys(document: Document, lines: LineCounter): readonly string[] {
	const found: string[] = [];
	visit(document, {
		Map(_at, map) {
			const seen = new Set<unknown>();
			for (const { key, value } of map.items) {
				refuseKey(key);
				if (!isScalar(key) || isMerge(key.value)) continue;
				if (seen.has(key.value))
					found.push(
						`line ${lines.linePos((isNode(value) ? value.range?.[0] : undefined) ?? key.range?.[0] ?? 0).line}: key ${JSON.stringify(key.value)} already set in map`,
					);
				seen.add(key.value);
			}
		},
	});
	return found;
}

/** Keys of JSON are texts, or what has one. */
function refuseKey(key: unknown): void {
	if (isCollection(key)) throw new AppError('InvalidArgument', 'yaml: invalid map key');
	if (key === null || (isScalar(key) && key.value === null))
		throw new AppError('InvalidArgument', 'unsupported map key of type: %!s(<nil>), key: <nil>');
	if (isScalar(key) && typeof key.value === 'number' && !Number.isFinite(key.value)) key.value = INFINITE_KEYS[String(key.value)];
}

const INFINITE_KEYS: Readonly<Record<string, string>> = { NaN: 'NaN', Infinity: '.inf', '-Infinity': '-.inf' };

const isMerge = (key: unknown): boolean => key === '<<' || typeof key === 'symbol';

function refuseNotFinite(value: unknown): void {
	if (typeof value === 'number' && !Number.isFinite(value))
		throw new AppError('InvalidArgument', `json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
	if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseNotFinite);
}

/** The object as YAML, keys sorted as Go does. */
export function formatYaml(object: object): string {
	return writeYaml(parseJson(JSON.stringify(object)));
}
