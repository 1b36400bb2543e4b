/** What cel-go's own types of values are called, where its errors name them. */
import { JsonList, JsonMap } from './json.ts';
import { Duration, ListValue, MapValue, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from './values.ts';

const PLAIN: Readonly<Record<string, string>> = {
	boolean: 'types.Bool',
	string: 'types.String',
	bigint: 'types.Int',
	number: 'types.Double',
};

export function goTypeOf(value: Value): string {
	const plain = PLAIN[typeof value];
	if (plain !== undefined) return plain;
	if (value === null) return 'types.Null';
	if (value instanceof Uint) return 'types.Uint';
	if (value instanceof Uint8Array) return 'types.Bytes';
	if (value instanceof Timestamp) return 'types.Timestamp';
	if (value instanceof Duration) return 'types.Duration';
	if (value instanceof Optional) return '*types.Optional';
	if (value instanceof TypeValue) return '*types.Type';
	if (value instanceof JsonList) return '[]interface {}';
	if (value instanceof JsonMap) return 'map[string]interface {}';
	if (value instanceof ListValue) return '*types.baseList';
	if (value instanceof MapValue) return '*types.baseMap';
	return value instanceof Opaque ? value.typeName.replace(/^.*\./, 'cel.') : '';
}
