/** One requirement on one value, as label selectors, their text form and node affinity state it (apimachinery labels.Requirement). Pure. */
import { int64Error } from '../go-integer.ts';

/** Whether the value (undefined: none) meets it. An operator that nobody knows is met by nothing. */
export function meets(operator: string, values: readonly string[] | null | undefined, value: string | undefined): boolean {
	switch (operator) {
		case 'In':
			return value !== undefined && (values ?? []).includes(value);
		case 'NotIn':
			return value === undefined || !(values ?? []).includes(value);
		case 'Exists':
			return value !== undefined;
		case 'DoesNotExist':
			return value === undefined;
		case 'Gt':
		case 'Lt': {
			const [limit] = values ?? [];
			if (value === undefined || limit === undefined || values?.length !== 1 || !isInt64(value) || !isInt64(limit)) return false;
			return operator === 'Gt' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
		}
		default:
			return false;
	}
}

function isInt64(text: string): boolean {
	return int64Error(text) === undefined;
}
