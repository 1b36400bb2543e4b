/** Rules and warnings of built-in kinds on objects that say one thing and leave out all others: what is optional may be absent, or null in a list. */
import test from 'ava';
import { decodeBody } from '../../api/codec/codec.ts';
import type { KubeObject } from '../../api/resource.ts';
import { RESOURCES } from '../../api/resources.ts';
import { schemaOfKind, type FieldSchema, type StructType } from '../../api/schema.ts';
import { codeOf } from '../../base/errors.ts';
import { validateCreate, validateUpdate } from '../../api/validation/validation.ts';
import { warningsOnCreate, warningsOnUpdate } from '../../api/validation/warnings/warnings.ts';

for (const { group, version, kind } of RESOURCES) {
	const type = schemaOfKind(group, version, kind);
	if (type?.form !== 'struct') continue;
	test(`sparse: ${group}/${version} ${kind}`, (t) => {
		const apiVersion = group === '' ? version : `${group}/${version}`;
		let looked = 0;
		for (const fields of sparse(type, [])) {
			const body = JSON.stringify({ apiVersion, kind, ...fields });
			const object = decoded(body, { group, version, kind });
			if (object === undefined) continue;
			looked++;
			t.notThrows(() => {
				validateCreate(group, version, kind, object, true);
				warningsOnCreate(group, kind, object);
				for (const subresource of ['', 'status']) {
					validateUpdate(group, version, kind, object, object, true, subresource);
					warningsOnUpdate(group, kind, object, object, subresource);
				}
			}, body);
		}
		t.true(looked > 0);
	});
}

/** Undefined where the body is refused. */
function decoded(body: string, kind: Parameters<typeof decodeBody>[2]): KubeObject | undefined {
	try {
		const object = decodeBody(Buffer.from(body), 'application/json', kind, { strictness: 'Ignore', warn: () => {} });
		return { ...object, metadata: object['metadata'] ?? {} } as KubeObject;
	} catch (error) {
		if (codeOf(error) !== 'InvalidArgument') throw error;
		return undefined;
	}
}

/** Objects with one branch each, down to every struct. @param above so that what holds itself ends */
function* sparse(type: StructType, above: readonly StructType[]): Generator<object> {
	yield {};
	if (above.filter((one) => one === type).length > 1) return;
	for (const field of type.fields.values()) for (const value of valuesOf(field, [...above, type])) yield { [field.name]: value };
}

function* valuesOf({ shape, type }: FieldSchema, above: readonly StructType[]): Generator<unknown> {
	if (shape === 'list') yield* [[], [null]];
	if (shape === 'map') yield { a: null };
	if (type.form !== 'struct') return;
	for (const one of sparse(type, above)) yield shape === 'list' ? [one] : shape === 'map' ? { a: one } : one;
}
