/** The envelope around Kubernetes protobuf: four magic bytes and a runtime.Unknown with apiVersion, kind and the message. */
import { AppError } from '../../base/errors.ts';
import { schemaOfKind } from '../schema.ts';
import { decodeMessage } from './protobuf-decode.ts';
import { encodeMessage } from './protobuf-encode.ts';
import { readFields, WireWriter, type WireValue } from './wire-format.ts';

const MAGIC = Buffer.from('k8s\0');
/** Kinds that travel without apiVersion, as /api and /api/v1 answer them. */
const BARE = new Set(['APIVersions', 'APIResourceList', 'APIGroup', 'APIGroupList']);

const bytesOf = (values: readonly WireValue[] | undefined): Buffer => {
	const value = values?.at(-1);
	return typeof value === 'object' ? value : Buffer.alloc(0);
};

/** The object of an enveloped message, with apiVersion and kind; `as` says what it is where the envelope does not. AppError InvalidArgument. */
export function decodeEnvelope(bytes: Buffer, as?: { readonly apiVersion: string; readonly kind: string }): Record<string, unknown> {
	if (!bytes.subarray(0, 4).equals(MAGIC))
		throw new AppError('InvalidArgument', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
	try {
		const unknown = readFields(bytes.subarray(4));
		const meta = readFields(bytesOf(unknown.get(1)));
		const apiVersion = bytesOf(meta.get(1)).toString() || (as?.apiVersion ?? '');
		const kind = bytesOf(meta.get(2)).toString() || (as?.kind ?? '');
		const type = schemaOf(apiVersion, kind);
		if (type === undefined) return { apiVersion, kind };
		return { ...decodeMessage(type, bytesOf(unknown.get(2))), apiVersion, kind };
	} catch (error) {
		if (error instanceof RangeError) throw new AppError('InvalidArgument', error.message, { cause: error });
		throw error;
	}
}

/** Encodes an object that carries apiVersion and kind; undefined when it is no built-in type. */
export function encodeEnvelope(object: Record<string, unknown>): Buffer | undefined {
	const { apiVersion = '', kind = '' } = object as { apiVersion?: string; kind?: string };
	const type = schemaOf(apiVersion, kind) ?? (BARE.has(kind) ? schemaOfKind('', 'v1', kind) : undefined);
	if (type === undefined) return undefined;
	const w = new WireWriter();
	w.message(1, () => {
		w.string(1, apiVersion);
		w.string(2, kind);
	});
	w.bytes(2, encodeMessage(type, object));
	w.string(3, '');
	w.string(4, '');
	return Buffer.concat([MAGIC, w.finish()]);
}

/** One event of a watch: a bare WatchEvent with the enveloped object, length in front (four bytes, big-endian). */
export function encodeWatchEvent(type: string, object: Record<string, unknown>): Buffer {
	const raw = encodeEnvelope(object) ?? Buffer.alloc(0);
	const w = new WireWriter();
	w.string(1, type);
	w.message(2, () => w.bytes(1, raw));
	const body = w.finish();
	const head = Buffer.alloc(4);
	head.writeUInt32BE(body.length);
	return Buffer.concat([head, body]);
}

function schemaOf(apiVersion: string, kind: string): ReturnType<typeof schemaOfKind> {
	const at = apiVersion.indexOf('/');
	const [group, version] = at < 0 ? ['', apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
	return schemaOfKind(group, version, kind) ?? schemaOfKind('', version, kind) ?? schemaOfKind('meta.k8s.io', version, kind);
}
