/** Metrics of autoscalers as autoscaling/v1 writes them into annotations: names of before v2 for the same things (upstream apis/autoscaling/v1/conversion). Pure. */
import type { CrossVersionObjectReference, LabelSelector, MetricSpec, MetricStatus, MetricTarget } from '../../../api/gen/types.ts';
import { canonicalQuantity } from '../../../api/quantity.ts';

interface Named {
	readonly metricName: string;
	readonly selector?: LabelSelector | undefined;
}
interface OfObject extends Named {
	readonly target: CrossVersionObjectReference;
	readonly averageValue?: string | undefined;
}
interface Resource {
	readonly name: string;
	readonly targetAverageUtilization?: number | undefined;
	readonly targetAverageValue?: string | undefined;
}
interface CurrentResource {
	readonly name: string;
	readonly currentAverageUtilization?: number | undefined;
	readonly currentAverageValue: string;
}
interface External {
	readonly metricName: string;
	readonly metricSelector?: LabelSelector | undefined;
}

interface OldSpec {
	readonly type: string;
	readonly object?: (OfObject & { readonly targetValue: string }) | undefined;
	readonly pods?: (Named & { readonly targetAverageValue: string }) | undefined;
	readonly resource?: Resource | undefined;
	readonly containerResource?: (Resource & { readonly container: string }) | undefined;
	readonly external?:
		| (External & { readonly targetValue?: string | undefined; readonly targetAverageValue?: string | undefined })
		| undefined;
}

interface OldStatus {
	readonly type: string;
	readonly object?: (OfObject & { readonly currentValue: string }) | undefined;
	readonly pods?: (Named & { readonly currentAverageValue: string }) | undefined;
	readonly resource?: CurrentResource | undefined;
	readonly containerResource?: (CurrentResource & { readonly container: string }) | undefined;
	readonly external?: (External & { readonly currentValue: string; readonly currentAverageValue?: string | undefined }) | undefined;
}

const reference = ({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference => ({
	...{ kind, name },
	...(apiVersion === undefined ? {} : { apiVersion }),
});
const when = <T, R>(value: T | undefined, fn: (value: T) => R): R | undefined => (value === undefined ? undefined : fn(value));

export function oldSpec({ type, object, pods, resource, containerResource, external }: MetricSpec): OldSpec {
	const ofResource = (name: string, { averageUtilization, averageValue }: MetricTarget): Resource => ({
		...{ name, targetAverageUtilization: averageUtilization, targetAverageValue: averageValue },
	});
	return {
		type,
		object: when(object, ({ describedObject, metric, target }) => ({
			...{ target: reference(describedObject), metricName: metric.name, targetValue: target.value ?? '0' },
			...{ selector: metric.selector, averageValue: target.averageValue },
		})),
		pods: when(pods, ({ metric, target }) => ({
			...{ metricName: metric.name, targetAverageValue: target.averageValue ?? '0', selector: metric.selector },
		})),
		resource: when(resource, ({ name, target }) => ofResource(name, target)),
		containerResource: when(containerResource, ({ name, target, container }) => ({ ...ofResource(name, target), container })),
		external: when(external, ({ metric, target }) => ({
			...{ metricName: metric.name, metricSelector: metric.selector },
			...{ targetValue: target.value, targetAverageValue: target.averageValue },
		})),
	};
}

export function newSpec({ type, object, pods, resource, containerResource, external }: OldSpec): MetricSpec {
	const ofResource = ({ targetAverageUtilization, targetAverageValue }: Resource): MetricTarget => ({
		type: targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
		averageValue: when(targetAverageValue, canonicalQuantity),
		averageUtilization: targetAverageUtilization,
	});
	return {
		type,
		object: when(object, ({ target, metricName, targetValue, selector, averageValue }) => {
			const value = canonicalQuantity(targetValue);
			const wanted: MetricTarget =
				averageValue === undefined
					? { type: 'Value', value }
					: { type: 'AverageValue', ...(value === '0' ? {} : { value }), averageValue: canonicalQuantity(averageValue) };
			return { describedObject: reference(target), metric: { name: metricName, selector }, target: wanted };
		}),
		pods: when(pods, ({ metricName, selector, targetAverageValue }) => ({
			metric: { name: metricName, selector },
			target: { type: 'AverageValue', averageValue: canonicalQuantity(targetAverageValue) },
		})),
		resource: when(resource, (given) => ({ name: given.name, target: ofResource(given) })),
		containerResource: when(containerResource, (given) => ({ name: given.name, target: ofResource(given), container: given.container })),
		external: when(external, ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
			metric: { name: metricName, selector: metricSelector },
			target: {
				type: targetValue === undefined ? 'AverageValue' : 'Value',
				value: when(targetValue, canonicalQuantity),
				averageValue: when(targetAverageValue, canonicalQuantity),
			},
		})),
	};
}

export function oldStatus({ type, object, pods, resource, containerResource, external }: MetricStatus): OldStatus {
	type Current = NonNullable<MetricStatus['resource']>['current'];
	const ofResource = (name: string, { averageUtilization, averageValue = '0' }: Current): CurrentResource => ({
		...{ name, currentAverageUtilization: averageUtilization, currentAverageValue: averageValue },
	});
	return {
		type,
		object: when(object, ({ describedObject, metric, current }) => ({
			...{ target: reference(describedObject), metricName: metric.name, currentValue: current.value ?? '0' },
			...{ selector: metric.selector, averageValue: current.averageValue },
		})),
		pods: when(pods, ({ metric, current }) => ({
			...{ metricName: metric.name, currentAverageValue: current.averageValue ?? '0', selector: metric.selector },
		})),
		resource: when(resource, ({ name, current }) => ofResource(name, current)),
		containerResource: when(containerResource, ({ name, current, container }) => ({ ...ofResource(name, current), container })),
		external: when(external, ({ metric, current }) => ({
			...{ metricName: metric.name, metricSelector: metric.selector },
			...{ currentValue: current.value ?? '0', currentAverageValue: current.averageValue },
		})),
	};
}

export function newStatus({ type, object, pods, resource, containerResource, external }: OldStatus): MetricStatus {
	const ofResource = ({ currentAverageUtilization, currentAverageValue }: CurrentResource) => ({
		averageValue: canonicalQuantity(currentAverageValue),
		averageUtilization: currentAverageUtilization,
	});
	return {
		type,
		object: when(object, ({ target, metricName, selector, currentValue, averageValue }) => ({
			metric: { name: metricName, selector },
			current: { value: canonicalQuantity(currentValue), averageValue: when(averageValue, canonicalQuantity) },
			describedObject: reference(target),
		})),
		pods: when(pods, ({ metricName, selector, currentAverageValue }) => ({
			metric: { name: metricName, selector },
			current: { averageValue: canonicalQuantity(currentAverageValue) },
		})),
		resource: when(resource, (given) => ({ name: given.name, current: ofResource(given) })),
		containerResource: when(containerResource, (given) => ({ name: given.name, current: ofResource(given), container: given.container })),
		external: when(external, ({ metricName, metricSelector, currentValue, currentAverageValue }) => ({
			metric: { name: metricName, selector: metricSelector },
			current: { value: canonicalQuantity(currentValue), averageValue: when(currentAverageValue, canonicalQuantity) },
		})),
	};
}
