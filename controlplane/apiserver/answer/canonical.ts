/**
 * Canonical bytes: an object's JSON without resourceVersion, in one order (kind, apiVersion, metadata, the rest), and the place where
 * the version is spliced in. GET, LIST and every watcher share these bytes.
 */
import { goEscaped } from '../../../api/go-json.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { Lru } from '../../../base/lru.ts';
import type { Encoded } from '../../storage/store.ts';

export interface Facts {
	readonly labels: Readonly<Record<string, string>>;
	readonly fields: Readonly<Record<string, string>>;
}

/** Keys of metadata that come before resourceVersion. */
const BEFORE_VERSION = ['name', 'generateName', 'namespace', 'selfLink', 'uid'] as const;

/** Keys of metadata that come after it, in Go's order. */
const AFTER_VERSION = [
	'generation',
	'creationTimestamp',
	'deletionTimestamp',
	'deletionGracePeriodSeconds',
	'labels',
	'annotations',
	'ownerReferences',
	'finalizers',
	'managedFields',
] as const;

const IN_ORDER: ReadonlySet<string> = new Set([...BEFORE_VERSION, ...AFTER_VERSION, 'resourceVersion']);
/** Keys of the object that come before all others. */
const FIRST: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

export function encode(object: KubeObject, { labels, fields }: Facts): Encoded {
	const metadata = object.metadata as Readonly<Record<string, unknown>>;
	let head = '';
	for (const key of BEFORE_VERSION) if (metadata[key] !== '') head += member(key, metadata[key]);
	let tail = '';
	for (const key of AFTER_VERSION) tail += member(key, metadata[key]);
	for (const key of Object.keys(metadata)) if (!IN_ORDER.has(key)) tail += member(key, metadata[key]);
	const start = `${headOf(object.kind ?? '', object.apiVersion ?? '')}"metadata":{`;
	const before = `${start}${tail === '' ? head.slice(0, -1) : head}`;
	let rest = '';
	for (const key of Object.keys(object))
		if (!FIRST.has(key)) rest += member(key, (object as unknown as Readonly<Record<string, unknown>>)[key]);
	const bytes = Buffer.from(goEscaped(`${before}${tail.slice(0, -1)}}${rest === '' ? '' : `,${rest.slice(0, -1)}`}}`));
	return { bytes, versionAt: Buffer.byteLength(goEscaped(before)), labels, fields };
}

/**
 * The same of an object in canonical form, whose keys stand in that order already.
 * @param head of `headOf` its kind
 */
export function encodeCanonical(object: KubeObject, { labels, fields }: Facts, head: string): Encoded {
	const metadata = object.metadata as Readonly<Record<string, unknown>>;
	const { name, generateName, namespace, selfLink, uid } = metadata;
	const first = text('"name":', name) + text('"generateName":', generateName);
	const before = `${head}"metadata":{${first}${text('"namespace":', namespace)}${text('"selfLink":', selfLink)}${text('"uid":', uid)}`;
	const all = JSON.stringify(object);
	// Something stands elsewhere, or nothing comes after the version.
	if (!all.startsWith(before) || all[before.length] !== '"' || metadata['resourceVersion'] !== undefined)
		return encode(object, { labels, fields });
	return { bytes: Buffer.from(goEscaped(all)), versionAt: Buffer.byteLength(goEscaped(before)), labels, fields };
}

/** One member of an object's JSON with the comma after it; '' for what JSON leaves out. */
function member(key: string, value: unknown): string {
	return value === undefined ? '' : `${JSON.stringify(key)}:${JSON.stringify(value)},`;
}

/** The same of a text whose key is written already. */
function text(key: string, value: unknown): string {
	return value === undefined ? '' : `${key}${JSON.stringify(value)},`;
}

/** The text to splice in at `versionAt`. An object always has a creationTimestamp after it. */
export function versionText(revision: bigint): string {
	return `"resourceVersion":"${revision}",`;
}

/** The whole object, with its version where it has one. */
export function whole(value: Encoded, revision: bigint | undefined): Uint8Array {
	return revision === undefined ? value.bytes : between('', value, revision, '');
}

/** Without a view of the bytes for each half of each object. */
const { copy } = Buffer.prototype;

/** The whole object between two ASCII texts. */
export function between(first: string, { bytes, versionAt }: Encoded, revision: bigint | undefined, last: string): Uint8Array {
	return spliced(first, bytes, versionAt, revision, last, 0, bytes.length);
}

/** Its metadata alone. @param head length of `headOf` */
export function metadataBetween(
	first: string,
	{ bytes, versionAt }: Encoded,
	revision: bigint | undefined,
	last: string,
	head: number,
): Uint8Array {
	const start = head + '"metadata":'.length;
	return spliced(first, bytes, versionAt, revision, last, start, endOfObject(bytes, start));
}

/** Bytes from `start` to `end`, the version among them, between two ASCII texts. */
function spliced(
	first: string,
	bytes: Uint8Array,
	versionAt: number,
	revision: bigint | undefined,
	last: string,
	start: number,
	end: number,
): Uint8Array {
	const version = revision === undefined ? '' : versionText(revision);
	const out = Buffer.allocUnsafe(first.length + end - start + version.length + last.length);
	let at = out.write(first, 0, 'latin1');
	at += copy.call(bytes, out, at, start, versionAt);
	at += out.write(version, at, 'latin1');
	at += copy.call(bytes, out, at, versionAt, end);
	out.write(last, at, 'latin1');
	return out;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Behind the brace that closes the object that begins at `start`. */
function endOfObject(bytes: Uint8Array, start: number): number {
	let depth = 0;
	for (let at = start; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === QUOTE) {
			for (at++; bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
		} else if (byte === OPEN) depth++;
		else if (byte === CLOSE && --depth === 0) return at + 1;
	}
	return bytes.length;
}

/** Answers given lately: a client that polls an object gets the same bytes again. */
const answers = new Lru<Encoded, { readonly revision: bigint; readonly bytes: Uint8Array }>(400);
const MAX_KEPT_BYTES = 8192;

/** The object as an answer: a line of its own, as upstream's encoder ends it. */
export function lineOf({ value, revision }: Piece): Uint8Array {
	return between('', value, revision, '\n');
}

/** The same of what may be read often. */
export function lineOften(piece: Piece): Uint8Array {
	const { value, revision } = piece;
	if (revision === undefined || value.bytes.length > MAX_KEPT_BYTES) return lineOf(piece);
	const known = answers.get(value);
	if (known?.revision === revision) return known.bytes;
	const bytes = lineOf(piece);
	answers.set(value, { revision, bytes });
	return bytes;
}

export interface Piece {
	readonly value: Encoded;
	readonly revision: bigint | undefined;
}

/** How the canonical bytes of a kind begin. */
export function headOf(kind: string, apiVersion: string): string {
	return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}
