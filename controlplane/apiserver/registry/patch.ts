/** PATCH: JSON patch, merge patch, strategic merge patch and apply, as one more transform of an update. */
import { decodeObject } from '../../../api/codec/codec.ts';
import { withPlainNumbers } from '../../../api/codec/float-literal.ts';
import { unstructuredComplaint } from '../../../api/codec/from-unstructured.ts';
import { goJson } from '../../../api/go-json.ts';
import { goText } from '../../../api/go-values.ts';
import { applyJsonPatch } from '../../../api/patch/json.ts';
import { mergePatch } from '../../../api/patch/merge.ts';
import { strategicMergePatch } from '../../../api/patch/strategic.ts';
import { apiVersionOf, type KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import { badRequest, invalid, StatusError } from '../../../api/status.ts';
import { inOrder } from '../../../api/structural/schema.ts';
import { answerPiece } from '../answer/objects.ts';
import { schemaOfKind } from '../../../api/schema.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { applied, trackConverted } from './managed-fields.ts';
import type { Verb } from './verb.ts';
import type { CustomDecoding, CustomKind } from './custom-kind.ts';
import { update } from './update.ts';
import { callerOf } from './caller.ts';
import { readPatchDocument } from './patch-document.ts';
import { readPatch, type AskedPatch } from './patch-request.ts';
import { otherVersion } from './versions.ts';

/** The patched object, decoded again as strictly as asked. */
export function patched(
	asked: AskedPatch,
	kind: KindName,
	current: KubeObject,
	warn: (text: string) => void,
	custom?: CustomKind,
): KubeObject {
	const document = readPatchDocument(asked);
	const decoding = {
		strictness: asked.options.fieldValidation,
		warn,
		patch: { strict: document.strict, unstructured: asked.type === 'strategic' },
	};
	const { result, shown } = merged(asked, kind, current, document.value, custom);
	// A patch may say that what it makes is in another version: it is read as that.
	const other = custom === undefined ? otherVersion(kind, (result ?? {}) as Partial<KubeObject>) : undefined;
	try {
		const decoded = decodedAs({ resource: other?.kind ?? kind, custom }, result, decoding);
		return other === undefined ? decoded : other.convert(decoded);
	} catch (error) {
		if (!(error instanceof StatusError) || error.httpCode >= 500) throw error;
		throw invalidPatch(shown(), error.message);
	}
}

interface Merged {
	readonly result: unknown;
	/** What an error quotes: the whole result, of a strategic patch the patch. */
	readonly shown: () => string;
}

function merged({ type }: AskedPatch, kind: KindName, current: KubeObject, document: unknown, custom?: CustomKind): Merged {
	switch (type) {
		case 'json':
			return quoted(applyJsonPatch(current, document), custom !== undefined);
		case 'merge':
			return quoted(mergePatch(current, document), custom !== undefined);
		case 'strategic': {
			const schema = schemaOfKind(kind.group, kind.version, kind.kind);
			const shown = (): string => goText(document);
			const result = strategicMergePatch(schema, current as Draft, (document ?? {}) as Draft);
			const complaint = schema === undefined ? undefined : unstructuredComplaint(schema, result);
			if (complaint !== undefined) throw invalidPatch(shown(), complaint);
			// The conversion knows its type: what the patch says of it is not asked.
			return { result: { ...result, apiVersion: apiVersionOf(kind), kind: kind.kind }, shown };
		}
		case 'apply':
			throw new TypeError('Apply has its own path');
	}
}

/** @param isMap the object is a plain map to upstream, in order all through */
function quoted(result: unknown, isMap: boolean): Merged {
	return { result, shown: () => goJson(isMap ? inOrder(result) : sortedKeys(result as object)) };
}

function invalidPatch(shown: string, why: string): StatusError {
	return invalid({ group: '', kind: '' }, '', [
		{ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(shown)}: ${why}`, field: 'patch' },
	]);
}

/** A plain value as an object of the kind. */
function decodedAs(
	kind: { readonly resource: KindName; readonly custom?: CustomKind | undefined },
	value: unknown,
	decoding: CustomDecoding,
): KubeObject {
	if (kind.custom !== undefined) return kind.custom.decodeValue(withPlainNumbers(value), decoding);
	return decodeObject(value, kind.resource, decoding) as unknown as KubeObject;
}

/** What was applied fits the schema; what still cannot be read is the server's fault in upstream's eyes. */
export function decodedApplied(resource: KindName, merged: KubeObject, custom?: CustomKind): KubeObject {
	const { group, version, kind: name } = resource;
	const schema = custom === undefined ? schemaOfKind(group, version, name) : undefined;
	try {
		const complaint = schema === undefined ? undefined : unstructuredComplaint(schema, merged);
		if (complaint !== undefined) throw badRequest(complaint);
		return decodedAs({ resource, custom }, merged, {
			strictness: 'Ignore',
			warn: () => {},
			patch: { strict: [], unstructured: true },
			isApplied: true,
		});
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		const type = `${group}/${version}, Kind=${name}`;
		const about = `${merged.metadata.namespace ?? ''}/${merged.metadata.name ?? ''}; ${type}`;
		const message = `failed to convert new object (${about}) to proper version: unable to convert unstructured object to ${type}: ${error.message}`;
		throw new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
	}
}

function sortedKeys(object: object): object {
	if (Array.isArray(object)) return object;
	return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const patch: Verb = async (parts, request, { kind, namespace, name, subresource }) => {
	const asked = await readPatch(request, kind.custom !== undefined);
	const caller = callerOf(request, asked.options, kind);
	const storedKind = kind.conversion?.stored ?? kind;
	const toStored = kind.conversion?.toStored ?? ((o: KubeObject) => o);
	const fromStored = kind.conversion?.fromStored ?? ((o: KubeObject) => o);
	const isApply = asked.type === 'apply';
	const transform = (current: KubeObject | undefined): KubeObject => {
		const now = parts.clock.now();
		const visible = current === undefined ? undefined : fromStored(current);
		if (isApply) {
			const merged = applied(kind, visible, asked, subresource, caller, now);
			const decoded = decodedApplied(kind.resource, merged, kind.custom);
			kind.strategy.decoded?.(decoded as Draft, timeOf(now));
			return toStored(decoded);
		}
		const next = patched(asked, kind.resource, visible as KubeObject, request.warn, kind.custom);
		kind.strategy.decoded?.(next as Draft, timeOf(now));
		const converted = toStored(next);
		if (kind.conversion !== undefined) trackConverted(kind, converted, current, subresource, caller, now);
		return converted;
	};
	const done = await update(
		parts,
		storedKind,
		{
			namespace,
			name,
			subresource,
			transform,
			createAbsent: isApply && subresource === '',
			patched: true,
			tracked: isApply || kind.conversion !== undefined,
		},
		caller,
	);
	return answerPiece(request, kind, done, done.created ? 201 : 200, parts.clock.now());
};
