/** The metrics of the pod resources API, under upstream's names. */
import { Counter, type Registry } from '../../base/metrics.ts';

type PodResourcesCall = 'list' | 'get' | 'get_allocatable';

const V1 = { server_api_version: 'v1' };

export class PodResourcesFigures {
	readonly #requests: Counter;
	readonly #byCall: Readonly<Record<PodResourcesCall, { readonly requests: Counter; readonly errors: Counter }>>;

	constructor(registry: Registry) {
		const counter = (name: string, help: string): Counter =>
			new Counter({
				name: `kubelet_pod_resources_endpoint_${name}`,
				help: `[ALPHA] ${help} Broken down by server api version.`,
				labelNames: ['server_api_version'],
				registers: [registry],
			});
		const both = (call: PodResourcesCall, what: string) => ({
			requests: counter(`requests_${call}`, `Number of requests to the PodResource ${what} endpoint.`),
			errors: counter(`errors_${call}`, `Number of requests to the PodResource ${what} endpoint which returned error.`),
		});
		this.#requests = counter('requests_total', 'Cumulative number of requests to the PodResource endpoint.');
		this.#byCall = {
			list: both('list', 'List'),
			get: both('get', 'Get'),
			get_allocatable: both('get_allocatable', 'GetAllocatableResources'),
		};
	}

	/** The one call of v1alpha1: upstream counts no more of it. */
	countedOfOld<T>(answer: () => T): T {
		this.#requests.inc({ server_api_version: 'v1alpha1' });
		return answer();
	}

	/** What the call answers. Counts it, and its failure. */
	counted<T>(call: PodResourcesCall, answer: () => T): T {
		const { requests, errors } = this.#byCall[call];
		this.#requests.inc(V1);
		requests.inc(V1);
		try {
			return answer();
		} catch (error) {
			errors.inc(V1);
			throw error;
		}
	}
}
