/** The condition NonStructuralSchema: of definitions from before schemas had to be structural (upstream's nonstructuralschema controller). Pure. */
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '../../../api/gen/types.ts';
import { invalidValue } from '../../../api/field-error.ts';
import type { Schema } from '../../../api/structural/schema.ts';
import { formFault } from '../../../api/structural/structural-form.ts';
import { structuralErrors } from '../../../api/structural/structural-rules.ts';

const type = 'NonStructuralSchema';

/** Undefined: none is due. Only asked where there is one, or may be one: all others were found structural when they were written. */
export function structuralCondition(
	definition: CustomResourceDefinition,
): Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'> | undefined {
	const isThere = definition.status?.conditions?.some((condition) => condition.type === type) === true;
	const { versions = [], preserveUnknownFields = false } = definition.spec;
	if (!preserveUnknownFields && !isThere) return undefined;
	const errors = preserveUnknownFields ? [invalidValue('spec.preserveUnknownFields', true, 'must be false')] : [];
	for (const [i, { name, schema }] of versions.entries()) {
		const given = schema?.openAPIV3Schema as Schema | undefined;
		if (given === undefined) continue;
		const fault = formFault(given);
		if (fault !== undefined) {
			const message = `failed to check validation schema for version ${name}: ${fault}`;
			return { type, status: 'Unknown', reason: 'StructuralError', message };
		}
		errors.push(...structuralErrors(given, `spec.versions[${i}].schema.openAPIV3Schema`));
	}
	const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
	if (texts.length === 0) return undefined;
	return { type, status: 'True', reason: 'Violations', message: texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]` };
}
