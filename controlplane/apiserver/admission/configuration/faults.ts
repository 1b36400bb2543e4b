/** Faults of a configuration's fields, all at once. */
import type { FieldError } from '../../../../api/field-error.ts';
import { AppError } from '../../../../base/errors.ts';

/** AppError InvalidArgument with all of them. */
export function insist(faults: readonly FieldError[]): void {
	const texts = [...new Set(faults.map(({ field, message }) => `${field}: ${message}`))];
	if (texts.length > 0) throw new AppError('InvalidArgument', texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`);
}
