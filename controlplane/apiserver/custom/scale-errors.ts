/** What a custom resource must be to be scaled: whole numbers of replicas in range, and a selector that is text (unstructured.NestedInt64). */
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import type { CustomResourceSubresourceScale } from '../../../api/gen/types.ts';
import { isInt64 } from '../../../api/go-float.ts';
import { isObject, type Json } from '../../../api/structural/schema.ts';
import { goText, goType } from '../../../api/go-values.ts';

const MAX_INT32 = 2 ** 31 - 1;

/** @param statusOnly the status subresource says nothing of what is wanted */
export function scaleErrors(object: Json, scale: CustomResourceSubresourceScale, statusOnly: boolean): FieldError[] {
	const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
	return [
		...(statusOnly ? [] : replicasErrors(object, specReplicasPath)),
		...replicasErrors(object, statusReplicasPath),
		...(labelSelectorPath === '' ? [] : selectorErrors(object, labelSelectorPath)),
	];
}

function replicasErrors(object: Json, path: string): FieldError[] {
	const { found, error } = nested(object, path);
	if (error !== undefined) return [invalidValue(path, 0, error)];
	if (found === undefined) return [];
	const { value } = found;
	if ((typeof value !== 'bigint' && typeof value !== 'number') || !isInt64(value))
		return [invalidValue(path, 0, wrongType(value, path, 'int64'))];
	if (Number(value) < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
	return Number(value) > MAX_INT32 ? [invalidValue(path, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}

function selectorErrors(object: Json, path: string): FieldError[] {
	const { found, error } = nested(object, path);
	if (error !== undefined) return [invalidValue(path, '', error)];
	if (found === undefined || typeof found.value === 'string') return [];
	return [invalidValue(path, '', wrongType(found.value, path, 'string'))];
}

interface Nested {
	/** Undefined: it is not there. */
	readonly found?: { readonly value: unknown };
	readonly error?: string;
}

function nested(object: Json, path: string): Nested {
	const steps = path.split('.').slice(1);
	let value: unknown = object;
	for (const [i, step] of steps.entries()) {
		if (value === null) return {};
		if (!isObject(value)) return { error: wrongType(value, `.${steps.slice(0, i + 1).join('.')}`, 'map[string]interface{}') };
		if (!Object.hasOwn(value, step)) return {};
		value = value[step];
	}
	return { found: { value } };
}

const wrongType = (value: unknown, at: string, expected: string): string =>
	`${at} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;
