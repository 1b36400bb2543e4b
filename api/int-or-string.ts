/** A count, or a percentage of a total ("25%"), as rollouts and budgets take them (apimachinery util/intstr). Pure. */
import { AppError } from '../base/errors.ts';

/** The count; percentages round up or down. AppError InvalidArgument for a text that is no percentage. */
export function scaledValue(value: number | string, total: number, round: 'up' | 'down'): number {
	if (typeof value === 'number') return value;
	const percent = /^([+-]?\d+)%$/.exec(value)?.[1];
	if (percent === undefined)
		throw new AppError(
			'InvalidArgument',
			`invalid value for IntOrString: invalid type: string is not a percentage: ${JSON.stringify(value)}`,
		);
	const exact = (Number(percent) * total) / 100;
	return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
