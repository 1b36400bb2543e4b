/** Names that stand for types, and types of literals. */
import type { Expr } from './ast.ts';
import {
	BOOL,
	BYTES,
	DOUBLE,
	DURATION,
	DYN,
	INT,
	listOf,
	mapOf,
	NULL,
	optionalOf,
	STRING,
	TIMESTAMP,
	TYPE,
	UINT,
	type Type,
} from './types.ts';
import { Duration, Timestamp, Uint, type Value } from './values.ts';

/** Types that are values by their name. */
export const TYPE_NAMES: Readonly<Record<string, Type>> = {
	bool: BOOL,
	int: INT,
	uint: UINT,
	double: DOUBLE,
	string: STRING,
	bytes: BYTES,
	null_type: NULL,
	type: TYPE,
	list: listOf(DYN),
	map: mapOf(DYN, DYN),
	optional_type: optionalOf(DYN),
	'google.protobuf.Timestamp': TIMESTAMP,
	'google.protobuf.Duration': DURATION,
	'net.IP': { kind: 'opaque', name: 'net.IP', params: [] },
	'net.CIDR': { kind: 'opaque', name: 'net.CIDR', params: [] },
	'kubernetes.URL': { kind: 'opaque', name: 'kubernetes.URL', params: [] },
	'kubernetes.Quantity': { kind: 'opaque', name: 'kubernetes.Quantity', params: [] },
	'kubernetes.Semver': { kind: 'opaque', name: 'kubernetes.Semver', params: [] },
};

/** "a.b.c" of plain selections. */
export function qualifiedName(expr: Expr): string | undefined {
	if (expr.type === 'ident') return expr.name;
	if (expr.type !== 'select' || expr.testOnly) return undefined;
	const operand = qualifiedName(expr.operand);
	return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

const PLAIN: Readonly<Record<string, Type>> = { boolean: BOOL, string: STRING, bigint: INT, number: DOUBLE };

export function typeOfConstant(value: Value): Type {
	if (value === null) return NULL;
	const plain = PLAIN[typeof value];
	if (plain !== undefined) return plain;
	if (value instanceof Uint) return UINT;
	if (value instanceof Timestamp) return TIMESTAMP;
	return value instanceof Duration ? DURATION : BYTES;
}
