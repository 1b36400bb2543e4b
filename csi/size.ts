/** Which size a volume gets. Pure; bytes as numbers, exact up to 2^53. */
import { AppError } from '../base/errors.ts';
import type { CapacityRange } from './proto.ts';

export interface SizeLimits {
	readonly minBytes: number;
	readonly maxBytes: number;
	/** Sizes are multiples of this where the range allows it, and of a sector otherwise. */
	readonly alignment: number;
}

/** Where nothing is asked for. */
export const DEFAULT_BYTES = 1024 ** 3;
const SECTOR = 512;

/** The smallest size in the range that the limits allow. OutOfRange where there is none. */
export function chooseSize(range: CapacityRange | undefined, limits: SizeLimits, otherwise: number = DEFAULT_BYTES): number {
	const { required, limit } = readRange(range);
	const wanted = Math.max(required === 0 ? Math.max(otherwise, limits.minBytes) : required, limits.minBytes);
	const capped = required === 0 && limit > 0 ? Math.max(Math.min(wanted, limit), limits.minBytes) : wanted;
	for (const unit of [limits.alignment, SECTOR, 1]) {
		if (unit < SECTOR && limits.alignment >= SECTOR) break;
		const up = Math.ceil(capped / unit) * unit;
		const down = Math.floor(capped / unit) * unit;
		for (const size of required === 0 ? [up, down] : [up])
			if (size >= Math.max(required, limits.minBytes) && size <= limits.maxBytes && (limit === 0 || size <= limit)) return size;
	}
	throw new AppError(
		'OutOfRange',
		`No size from ${required} to ${limit === 0 ? 'any' : limit} bytes is possible: volumes have ${limits.minBytes} to ${limits.maxBytes} bytes in steps of ${Math.min(limits.alignment, SECTOR)}`,
	);
}

/** Whether a size that is there satisfies what is asked for. */
export function fitsRange(sizeBytes: number, range: CapacityRange | undefined): boolean {
	const { required, limit } = readRange(range);
	return sizeBytes >= required && (limit === 0 || sizeBytes <= limit);
}

const BYTES = /^(\d{1,12})(Ki|Mi|Gi|Ti)?$/;
const UNITS: readonly (string | undefined)[] = [undefined, 'Ki', 'Mi', 'Gi', 'Ti'];

/** Bytes, or a number of Ki, Mi, Gi or Ti; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
	const [, digits, unit] = BYTES.exec(text) ?? [];
	return digits === undefined ? undefined : Number(digits) * 1024 ** UNITS.indexOf(unit);
}

/** Zero: not said. */
export function readRange(range: CapacityRange | undefined): { readonly required: number; readonly limit: number } {
	const required = Number(range?.requiredBytes ?? 0n);
	const limit = Number(range?.limitBytes ?? 0n);
	if (required < 0 || limit < 0) throw new AppError('OutOfRange', `Capacities are not negative: ${required}, ${limit}`);
	if (limit > 0 && required > limit) throw new AppError('OutOfRange', `The required ${required} bytes are more than the limit of ${limit}`);
	return { required, limit };
}
