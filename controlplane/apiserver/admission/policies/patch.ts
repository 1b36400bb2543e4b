/** The object that one mutation makes of another: an apply configuration merged into it, or a JSON patch. Pure. */
import { atomicsIn } from '../../../../api/apply/atomics.ts';
import { check } from '../../../../api/apply/check.ts';
import { merge } from '../../../../api/apply/merge.ts';
import type { Shape } from '../../../../api/apply/shape.ts';
import { checkObjectNames } from '../../../../api/cel/admission/mutation.ts';
import { toJson } from '../../../../api/cel/json.ts';
import { ListValue, MapValue, type Value } from '../../../../api/cel/values.ts';
import { applyJsonPatch, patchFault } from '../../../../api/patch/json.ts';
import type { KubeObject } from '../../../../api/resource.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';

/** AppError InvalidArgument for a configuration that does not fit the kind, or would replace what is owned as a whole. */
export function withConfiguration(shape: Shape, object: KubeObject, configuration: Value): unknown {
	const wrong = (why: string): AppError => new AppError('InvalidArgument', `error applying patch: ${why}`);
	try {
		checkObjectNames(configuration);
	} catch (error) {
		throw new AppError('InvalidArgument', `type mismatch: ${messageOf(error)}`);
	}
	const { apiVersion, kind } = object;
	const patch = { ...(toJson(configuration) as object), apiVersion, kind };
	const misfit = check(shape, patch, false);
	if (misfit !== undefined) throw wrong(`failed to convert patch object to typed object: ${misfit}`);
	const atomics = atomicsIn(shape, patch);
	if (atomics.length > 0) throw wrong(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
	return merge(shape, object, patch);
}

/** Undefined: a `test` of the patch failed, so nothing is changed. AppError InvalidArgument for a patch that does not apply. */
export function withJsonPatch(object: KubeObject, operations: Value): unknown {
	const patch = operations instanceof ListValue ? [...operations].map(operationOf) : [];
	try {
		return applyJsonPatch(object, patch);
	} catch (error) {
		const fault = patchFault(error);
		if (fault?.isTest === true) return undefined;
		throw new AppError('InvalidArgument', `JSON Patch: ${fault?.message ?? messageOf(error)}`, { cause: error });
	}
}

function operationOf(value: Value): Record<string, unknown> {
	if (!(value instanceof MapValue))
		throw new AppError('InvalidArgument', 'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
	const out: Record<string, unknown> = { op: value.get('op') ?? '', path: value.get('path') ?? '' };
	const from = value.get('from');
	if (from !== undefined && from !== '') out['from'] = from;
	const given = value.get('value');
	if (given !== undefined) {
		if (given instanceof MapValue && given.typeName.startsWith('Object.'))
			try {
				checkObjectNames(given, given.typeName);
			} catch (error) {
				throw new AppError('InvalidArgument', `type mismatch: ${messageOf(error)}`);
			}
		out['value'] = toJson(given);
	}
	return out;
}
