/** Object types by where they stand below a named one, so that two of one shape at two places are two types. */
import type { Type } from './types.ts';

/** Only as deep as it is looked at: "Root.field", "Root.list.@idx", "Root.map.@elem". */
export function namedType(type: Type, name: string): Type {
	switch (type.kind) {
		case 'object': {
			const known = new Map<string, Type | undefined>();
			return {
				kind: 'object',
				name,
				field: (field) => {
					if (!known.has(field)) {
						const inner = type.field(field);
						known.set(field, inner === undefined ? undefined : namedType(inner, `${name}.${field}`));
					}
					return known.get(field);
				},
			};
		}
		case 'list':
			return { ...type, items: namedType(type.items, `${name}.@idx`) };
		case 'map':
			return { ...type, value: namedType(type.value, `${name}.@elem`) };
		default:
			return type;
	}
}
