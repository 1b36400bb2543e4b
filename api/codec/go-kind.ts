/** What Go would call a decoded JSON value: upstream's errors say it. */

/** reflect.Kind of the value in an interface{}; what is null is a map. */
export function goKind(value: unknown): string {
	if (Array.isArray(value)) return 'slice';
	switch (typeof value) {
		case 'string':
			return 'string';
		case 'boolean':
			return 'bool';
		case 'bigint':
			return 'int64';
		case 'number':
			return Number.isInteger(value) ? 'int64' : 'float64';
		default:
			return 'map';
	}
}
