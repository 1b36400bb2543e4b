/** What a field selector pins down: rights may be given for lists of one's own objects only. Pure. */
import { parseFieldSelector } from '../../../api/selector/field.ts';

/** Fields that must have a value; a selector that makes no sense pins nothing (it is refused later). */
export function pinnedFields(selector: string): Readonly<Record<string, string>> {
	try {
		return Object.fromEntries(
			parseFieldSelector(selector)
				.filter(({ operator }) => operator !== '!=')
				.map(({ field, value }) => [field, value]),
		);
	} catch {
		return {};
	}
}
