/** Whether a value fits an overload's parameter. */
import { isDyn, type Type } from './types.ts';
import { Duration, ListValue, MapValue, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from './values.ts';

export function accepts(type: Type, value: Value): boolean {
	switch (type.kind) {
		case 'dyn':
		case 'any':
		case 'error':
		case 'param':
			return true;
		case 'null':
			return value === null;
		case 'bool':
			return typeof value === 'boolean';
		case 'int':
			return typeof value === 'bigint';
		case 'uint':
			return value instanceof Uint;
		case 'double':
			return typeof value === 'number';
		case 'string':
			return typeof value === 'string';
		case 'bytes':
			return value instanceof Uint8Array;
		case 'timestamp':
			return value instanceof Timestamp;
		case 'duration':
			return value instanceof Duration;
		case 'list':
			return value instanceof ListValue && acceptsItems(type.items, value);
		case 'map':
			return value instanceof MapValue;
		case 'object':
			return value instanceof MapValue && (value.typeName === type.name || value.typeName === 'map');
		case 'type':
			return value instanceof TypeValue;
		case 'opaque':
			if (type.name === 'optional_type') return value instanceof Optional;
			return (value instanceof Opaque || value instanceof MapValue) && value.typeName === type.name;
	}
}

/** The first item tells lists of different types apart, where overloads differ in it. */
function acceptsItems(items: Type, list: ListValue): boolean {
	if (items.kind === 'param' || isDyn(items) || list.size === 0) return true;
	return accepts(items, list.at(0));
}
