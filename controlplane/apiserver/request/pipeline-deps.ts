/** What the pipeline works with. */
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Turns } from '../../../base/turns.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Impersonated } from '../authn/impersonation-modes.ts';
import type { ApiRequest, ApiResponse, Attributes, Authorizer, Handler, Maybe } from '../contracts.ts';
import type { Fairness } from '../fairness/fairness.ts';
import type { InFlightLimits } from '../fairness/in-flight-limits.ts';
import type { FilterMetrics } from '../metrics/filter-metrics.ts';
import type { IdentityMetrics } from '../metrics/identity-metrics.ts';
import type { RequestMetrics } from './metrics.ts';
import type { ResourceInfo } from './request-info.ts';

export interface PipelineDeps {
	readonly clock: Clock;
	/** Crowds of watchers let writes go first. */
	readonly turns: Turns;
	readonly log: Log;
	readonly authorizer: Authorizer;
	readonly metrics: RequestMetrics;
	readonly identities: IdentityMetrics;
	readonly filters: FilterMetrics;
	/** Serves resources; undefined when it is none that is served. */
	readonly resources: (info: ResourceInfo, request: ApiRequest) => Maybe<ApiResponse> | undefined;
	/** Serves every other path. */
	readonly paths: (path: string) => Handler | undefined;
	/** Serves paths that another server is behind; undefined: none is. */
	readonly aggregated?: ((path: string) => Handler | undefined) | undefined;
	/** Becomes someone else when the headers ask for it and the user may; undefined when they do not ask. */
	readonly impersonate: (request: ApiRequest, asking: () => Attributes) => Promise<Impersonated | undefined> | undefined;
	/** Decides who is served first when there is more than can be served; undefined: nobody is given a turn. */
	readonly fairness?: Fairness | undefined;
	/** Where nobody is: how many are served at once; undefined: all. */
	readonly limits?: InFlightLimits | undefined;
	/** How long a request may take at most. */
	readonly requestTimeoutMs: number;
	/** Told when none of the requests that end is under way any more. */
	readonly quiet?: (() => void) | undefined;
	/** Writes down who did what; undefined: nobody does. */
	readonly auditor?: Auditor | undefined;
}
