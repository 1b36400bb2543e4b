/** Rules for a version of a CustomResourceDefinition beside its schema: subresources, columns, selectable fields, deprecation. */
import { duplicate, invalidValue, required, tooMany } from '../../field-error.ts';
import type {
	CustomResourceColumnDefinition,
	CustomResourceDefinitionVersion,
	CustomResourceSubresources,
	SelectableField,
} from '../../gen/types.ts';
import { fieldAt } from '../../structural/field-path.ts';
import type { Schema } from '../../structural/schema.ts';
import type { Errors } from '../rule.ts';

const MAX_WARNING = 256;
export const MAX_SELECTABLE = 8;
const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function deprecation(out: Errors, { deprecated = false, deprecationWarning }: CustomResourceDefinitionVersion, at: string): void {
	if (deprecationWarning === undefined) return;
	const path = `${at}.deprecationWarning`;
	const add = (why: string): unknown => out.push(invalidValue(path, deprecationWarning, why));
	if (!deprecated) {
		add('can only be set for deprecated versions');
		return;
	}
	if (Buffer.byteLength(deprecationWarning) > MAX_WARNING) add(`must be <= ${MAX_WARNING} characters long`);
	if (deprecationWarning === '') add('must not be an empty string');
	const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*/u.exec(deprecationWarning)?.[0] ?? '';
	if (printable !== deprecationWarning)
		add(`must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(printable)}`);
}

/** Whether something is wrong with a path in dots. */
function simplePath(out: Errors, path: string, value: string): boolean {
	if (value.startsWith('.')) return false;
	out.push(invalidValue(path, value, 'must be a simple json path starting with .'));
	return true;
}

export function subresources(out: Errors, given: CustomResourceSubresources | undefined, at: string): void {
	const { scale } = given ?? {};
	if (scale === undefined) return;
	const under = (key: 'specReplicasPath' | 'statusReplicasPath', root: string): void => {
		const value = scale[key] ?? '';
		const path = `${at}.scale.${key}`;
		if (value === '') out.push(required(path));
		else if (!simplePath(out, path, value) && !value.startsWith(`${root}.`))
			out.push(invalidValue(path, value, `should be a json path under ${root}`));
	};
	under('specReplicasPath', '.spec');
	under('statusReplicasPath', '.status');
	const { labelSelectorPath = '' } = scale;
	const path = `${at}.scale.labelSelectorPath`;
	if (labelSelectorPath !== '' && !simplePath(out, path, labelSelectorPath) && !/^\.(spec|status)\./.test(labelSelectorPath))
		out.push(invalidValue(path, labelSelectorPath, 'should be a json path under either .spec or .status'));
}

export function columns(out: Errors, given: readonly CustomResourceColumnDefinition[], at: string): void {
	given.forEach(({ name = '', type = '', format = '', jsonPath = '' }, i) => {
		const path = `${at}[${i}]`;
		if (name === '') out.push(required(`${path}.name`));
		if (type === '') out.push(required(`${path}.type`, `must be one of ${TYPES.join(',')}`));
		else if (!TYPES.includes(type)) out.push(invalidValue(`${path}.type`, type, `must be one of ${TYPES.join(',')}`));
		if (format !== '' && !FORMATS.includes(format)) out.push(invalidValue(`${path}.format`, format, `must be one of ${FORMATS.join(',')}`));
		if (jsonPath === '') out.push(required(`${path}.JSONPath`));
		else simplePath(out, `${path}.JSONPath`, jsonPath);
	});
}

/** @param schema of the same place: what all versions have alike stands apart; @param mayBeMany they were too many before */
export function selectableFields(
	out: Errors,
	given: readonly SelectableField[],
	schema: Schema | undefined,
	at: string,
	mayBeMany: boolean,
): void {
	if (schema === undefined) {
		const what = at.startsWith('spec.versions') ? '`version.schema.openAPIV3Schema` is not included' : 'validations.schema is included';
		if (given.length > 0) out.push(invalidValue(at, '', `may only be set when ${what}`));
		return;
	}
	const seen = new Set<string>();
	given.forEach(({ jsonPath = '' }, i) => {
		const path = `${at}[${i}].jsonPath`;
		if (jsonPath === '') {
			out.push(required(path));
			return;
		}
		const found = fieldAt(jsonPath, schema, false);
		if ('error' in found) {
			out.push(invalidValue(path, jsonPath, `is an invalid path: ${found.error}`));
			return;
		}
		if (/^metadata(?:[.[]|$)/.test(found.path)) out.push(invalidValue(path, jsonPath, 'must not point to fields in metadata'));
		if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? ''))
			out.push(
				invalidValue(
					path,
					jsonPath,
					'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
				),
			);
		if (seen.has(found.path)) out.push(duplicate(path, jsonPath));
		seen.add(found.path);
	});
	if (seen.size > MAX_SELECTABLE && !mayBeMany) out.push(tooMany(at, seen.size, MAX_SELECTABLE));
}
