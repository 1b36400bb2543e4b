/** What the rules of a container need to know of its pod. */
import type { PodSpec, Volume } from '../../gen/types.ts';
import type { PodOptions } from './options.ts';

export interface PodContext {
	readonly spec: PodSpec;
	readonly volumes: ReadonlyMap<string, Volume>;
	readonly claims: ReadonlySet<string>;
	readonly options: PodOptions;
}
