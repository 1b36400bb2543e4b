/** Durations of a configuration, in Go's form ("1m30s"). Pure. */
import { invalidValue } from '../../../api/field-error.ts';
import { canonicalDuration, parseDuration } from '../../../api/time.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import type { Shape } from '../../../base/shape.ts';

/** Milliseconds. AppError InvalidArgument for what is no duration. */
export function durationOf(shape: Shape, field: string, unlessMs: number): number {
	return shape.has(field) ? Number(parseDuration(shape.text(field))) / 1e6 : unlessMs;
}

/** @param isRight of milliseconds */
export function durationFault(out: Errors, path: string, shape: Shape, field: string, isRight: (ms: number) => boolean, why: string): void {
	if (shape.has(field) && !isRight(durationOf(shape, field, 0)))
		out.push(invalidValue(path === '' ? field : `${path}.${field}`, canonicalDuration(shape.text(field)), why));
}
