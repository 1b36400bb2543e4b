/** PATCH: JSON patch, merge patch, strategic merge patch and apply, as one more transform of an update. */
import { decodeObject, type Decoding } from '../../../api/codec/codec.ts';
import { jsonSyntaxError } from '../../../api/codec/json-syntax.ts';
import { parseJson } from '../../../api/codec/json-text.ts';
import { applyJsonPatch } from '../../../api/patch/json.ts';
import { mergePatch } from '../../../api/patch/merge.ts';
import { strategicMergePatch } from '../../../api/patch/strategic.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { badRequest, invalid, StatusError } from '../../../api/status.ts';
import { answerPiece } from '../answer/objects.ts';
import { schemaOfKind } from '../../../api/schema.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { applied, trackConverted } from './managed-fields.ts';
import type { Verb } from './verb.ts';
import type { CustomKind } from './custom-kind.ts';
import { update } from './update.ts';
import { callerOf } from './caller.ts';
import { readPatch, type AskedPatch } from './patch-request.ts';

/** The patched object, decoded again as strictly as asked. */
export function patched(
	asked: AskedPatch,
	kind: KindName,
	current: KubeObject,
	warn: (text: string) => void,
	custom?: CustomKind,
): KubeObject {
	const { type, bytes, options } = asked;
	let result: unknown;
	switch (type) {
		case 'json':
			result = applyJsonPatch(current, parsed(bytes));
			break;
		case 'merge':
			result = mergePatch(current, parsed(bytes));
			break;
		case 'strategic':
			result = strategicMergePatch(schemaOfKind(kind.group, kind.version, kind.kind), current as Draft, parsed(bytes) as Draft);
			break;
		case 'apply':
			throw new TypeError('Apply has its own path');
	}
	try {
		return decodedAs({ resource: kind, custom }, result, { strictness: options.fieldValidation, warn });
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		const shown = JSON.stringify(JSON.stringify(sortedKeys(result as object)));
		throw invalid({ group: '', kind: '' }, '', [
			{ reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${error.message}`, field: 'patch' },
		]);
	}
}

/** A plain value as an object of the kind. */
function decodedAs(
	kind: { readonly resource: KindName; readonly custom?: CustomKind | undefined },
	value: unknown,
	decoding: Decoding,
): KubeObject {
	if (kind.custom !== undefined) return kind.custom.decodeValue(value, decoding);
	return decodeObject(value, kind.resource, decoding) as unknown as KubeObject;
}

function sortedKeys(object: object): object {
	return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parsed(bytes: Uint8Array): unknown {
	const text = Buffer.from(bytes).toString();
	try {
		return parseJson(text);
	} catch {
		throw badRequest(`error decoding patch: ${jsonSyntaxError(text)}`);
	}
}

export const patch: Verb = async (parts, request, { kind, namespace, name, subresource }) => {
	const asked = await readPatch(request, kind.custom !== undefined && subresource !== 'scale');
	const caller = callerOf(request, asked.options, kind);
	const storedKind = kind.conversion?.stored ?? kind;
	const toStored = kind.conversion?.toStored ?? ((o: KubeObject) => o);
	const fromStored = kind.conversion?.fromStored ?? ((o: KubeObject) => o);
	const isApply = asked.type === 'apply';
	const transform = (current: KubeObject | undefined): KubeObject => {
		const visible = current === undefined ? undefined : fromStored(current);
		if (isApply) {
			const merged = applied(kind, visible, asked, name, subresource, caller, parts.clock.now());
			return toStored(decodedAs(kind, merged, { strictness: asked.options.fieldValidation, warn: request.warn }));
		}
		const next = patched(asked, kind.resource, visible as KubeObject, request.warn, kind.custom);
		kind.strategy.decoded?.(next as Draft);
		const converted = toStored(next);
		if (kind.conversion !== undefined) trackConverted(kind, converted, next, current, subresource, caller, parts.clock.now());
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
			tracked: isApply || kind.conversion !== undefined,
		},
		caller,
	);
	return answerPiece(request, kind, done, done.created ? 201 : 200, parts.clock.now());
};
