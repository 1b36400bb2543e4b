/** eventratelimit.admission.k8s.io/v1alpha1 Configuration, by upstream's rules. Pure. */
import { invalidValue, notSupported, type FieldError } from '../../../../api/field-error.ts';
import { LIMIT_TYPES, type EventLimit, type LimitType } from '../event-rate-limit.ts';
import { insist } from './faults.ts';
import { Shape } from '../../../../base/shape.ts';

const DEFAULT_CACHE = 4096;

export function eventLimits(value: unknown): readonly EventLimit[] {
	const faults: FieldError[] = [];
	const configuration = new Shape(value ?? {}, '');
	if (value !== undefined) configuration.kind(['eventratelimit.admission.k8s.io/v1alpha1'], 'Configuration');
	const given = configuration.list('limits');
	if (given.length === 0) faults.push(invalidValue('limits', configuration.has('limits') ? [] : null, 'must not be empty'));
	const limits = given.map((one, i): EventLimit => {
		const type = one.text('type');
		const [qps, burst, cacheSize] = [one.number('qps'), one.number('burst'), one.number('cacheSize')];
		if (!(LIMIT_TYPES as readonly string[]).includes(type)) faults.push(notSupported(`limits[${i}].type`, type, LIMIT_TYPES));
		if (burst <= 0) faults.push(invalidValue(`limits[${i}].burst`, burst, 'must be positive'));
		if (qps <= 0) faults.push(invalidValue(`limits[${i}].qps`, qps, 'must be positive'));
		if (type !== 'Server' && cacheSize < 0) faults.push(invalidValue(`limits[${i}].cacheSize`, cacheSize, 'must not be negative'));
		return { type: type as LimitType, qps, burst, cacheSize: type === 'Server' ? 1 : cacheSize === 0 ? DEFAULT_CACHE : cacheSize };
	});
	insist(faults);
	return limits;
}
