/** The envelope around Kubernetes protobuf: four magic bytes and a runtime.Unknown with apiVersion, kind and the message. */
import { AppError } from '../../base/errors.ts';
import { schemaOfKind, type StructType } from '../schema.ts';
import { betaView } from './beta-views.ts';
import { planOf } from './plan.ts';
import { decodeMessage } from './protobuf-decode.ts';
import { encodeMessage } from './protobuf-encode.ts';
import { readAs } from './read-as.ts';
import { BYTES, WireReader, WireWriter } from './wire-format.ts';

const MAGIC = Buffer.from('k8s\0');
/** What stands behind the message: no contentEncoding, no contentType. */
export const TAIL = Buffer.from([0x1a, 0, 0x22, 0]);
/** Kinds that travel without apiVersion, as /api and /api/v1 answer them. */
const BARE = new Set(['APIVersions', 'APIResourceList', 'APIGroup', 'APIGroupList']);

/** The object of an enveloped message, with apiVersion and kind; `as` says what it is where the envelope does not. AppError InvalidArgument. */
export function decodeEnvelope(bytes: Buffer, as?: { readonly apiVersion: string; readonly kind: string }): Record<string, unknown> {
	if (bytes.length === 0) throw new AppError('InvalidArgument', 'empty data');
	if (!isEnveloped(bytes))
		throw new AppError('InvalidArgument', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
	if (bytes.length === MAGIC.length) throw new AppError('InvalidArgument', 'empty body');
	try {
		const { typeMeta, raw } = unknownOf(bytes.subarray(4));
		const kind = typeMeta.kind || (as?.kind ?? '');
		const apiVersion = readAs(typeMeta.apiVersion || (as?.apiVersion ?? ''), kind);
		const type = schemaOf(apiVersion, kind);
		if (type === undefined) return { apiVersion, kind };
		return messageOf(raw, type, { kind, apiVersion });
	} catch (error) {
		if (error instanceof RangeError) throw new AppError('InvalidArgument', error.message, { cause: error });
		throw error;
	}
}

/** What is in a whole envelope is broken. */
export class MessageError extends AppError {
	readonly kind: string;

	constructor(kind: string, cause: RangeError) {
		super('InvalidArgument', cause.message, { cause });
		this.kind = kind;
	}
}

function messageOf(raw: Buffer, type: StructType, head: { readonly kind: string; readonly apiVersion: string }): Record<string, unknown> {
	try {
		return decodeMessage(new WireReader(raw), planOf(type), { ...head });
	} catch (error) {
		throw error instanceof RangeError ? new MessageError(head.kind, error) : error;
	}
}

/** True for bytes that begin as an enveloped message does. */
export function isEnveloped(bytes: Uint8Array): boolean {
	return bytes.length >= 4 && MAGIC.every((byte, i) => bytes[i] === byte);
}

interface Unknown {
	readonly typeMeta: { apiVersion: string; kind: string };
	readonly raw: Buffer;
}

const UNKNOWN_FIELDS = ['', 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'];
const TYPE_META_FIELDS = ['', 'APIVersion', 'Kind'];

function expectBytes(tag: number, fields: readonly string[]): void {
	const [field, wire] = [fields[tag >>> 3], tag & 7];
	if (field !== undefined && wire !== BYTES) throw new RangeError(`proto: wrong wireType = ${wire} for field ${field}`);
}

function unknownOf(bytes: Buffer): Unknown {
	const r = new WireReader(bytes);
	const typeMeta = { apiVersion: '', kind: '' };
	let raw = Buffer.alloc(0);
	while (r.more) {
		const tag = r.tag('Unknown');
		expectBytes(tag, UNKNOWN_FIELDS);
		if (tag === 10) readTypeMeta(r, typeMeta);
		else if (tag === 18) raw = Buffer.from(r.take());
		else r.skip(tag);
	}
	return { typeMeta, raw };
}

function readTypeMeta(r: WireReader, typeMeta: Unknown['typeMeta']): void {
	const outer = r.enter();
	while (r.more) {
		const tag = r.tag('TypeMeta');
		expectBytes(tag, TYPE_META_FIELDS);
		if (tag === 10) typeMeta.apiVersion = r.string();
		else if (tag === 18) typeMeta.kind = r.string();
		else r.skip(tag);
	}
	r.leave(outer);
}

/** One for all: encoding is synchronous and its result is copied out. */
const writer = new WireWriter();

/** Encodes an object that carries apiVersion and kind; undefined when it is no built-in type. */
export function encodeEnvelope(object: Record<string, unknown>): Buffer | undefined {
	const type = typeOf(object);
	return type === undefined ? undefined : written((w) => writeEnvelope(w, object, type));
}

/** What is written, as bytes of its own. */
export function written(write: (w: WireWriter) => void): Buffer {
	try {
		write(writer);
	} catch (error) {
		writer.finish();
		throw error;
	}
	return writer.finish();
}

function typeOf({ apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string }): StructType | undefined {
	return schemaOf(apiVersion, kind) ?? (BARE.has(kind) ? schemaOfKind('', 'v1', kind) : undefined);
}

function writeEnvelope(w: WireWriter, object: Record<string, unknown>, type: StructType): void {
	writeHead(w, object);
	const body = w.begin(2);
	encodeMessage(w, planOf(type), object);
	w.end(body);
	w.raw(TAIL);
}

/** What stands before the message. */
export function writeHead(w: WireWriter, { apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string }): void {
	w.raw(MAGIC);
	const meta = w.begin(1);
	w.string(1, apiVersion);
	w.string(2, kind);
	w.end(meta);
}

/** One event of a watch: a bare WatchEvent with the enveloped object, length in front (four bytes, big-endian). */
export function encodeWatchEvent(type: string, object: Record<string, unknown>): Buffer {
	const kind = typeOf(object);
	const frame = written((w) => {
		w.raw(Buffer.alloc(4));
		w.string(1, type);
		const outer = w.begin(2);
		const raw = w.begin(1);
		if (kind !== undefined) writeEnvelope(w, object, kind);
		w.end(raw);
		w.end(outer);
	});
	frame.writeUInt32BE(frame.length - 4);
	return frame;
}

export function schemaOf(apiVersion: string, kind: string): StructType | undefined {
	const at = apiVersion.indexOf('/');
	const [group, version] = at < 0 ? ['', apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
	if (group === 'meta.k8s.io' && version === 'v1beta1') return betaView(kind);
	return schemaOfKind(group, version, kind) ?? schemaOfKind('', version, kind) ?? schemaOfKind('meta.k8s.io', version, kind);
}
