/** Objects as the audit log has them: upstream's encoder writes them in the order of their types' fields, without what is empty. Pure. */
import { canonicalObject } from '../../../api/codec/canonical.ts';
import { schemaOfKind } from '../../../api/schema.ts';
import { withoutManagedFields } from './event.ts';

/** A copy: whoever goes on with the object may change it. */
export function written(object: object, omitManagedFields: boolean): unknown {
	const value = omitManagedFields ? withoutManagedFields(object) : object;
	return inOrder(value as Record<string, unknown>) ?? structuredClone(value);
}

/** Undefined for kinds that are not built in, and what is none of its kind after all. */
function inOrder(value: Record<string, unknown>): unknown {
	const { apiVersion, kind } = value;
	if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
	const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/', 2) as [string, string]) : ['', apiVersion];
	const type = schemaOfKind(group, version, kind);
	if (type === undefined) return undefined;
	try {
		return canonicalObject(type, value, { unknown: () => {} });
	} catch {
		return undefined;
	}
}
