/** Rules that are not asked of a pod or template: computed by `options-before.ts`, looked at by the rules. */

/** Each a rule that is not asked. */
export type PodOption =
	| 'affinityValues'
	| 'deletionCost'
	| 'hostSysctls'
	| 'indivisibleHugePages'
	| 'initContainerRestarts'
	| 'nodeValues'
	| 'outsideTokenPaths'
	| 'spreadSelectors'
	| 'userNamespaceDevices';

export type PodOptions = ReadonlySet<PodOption>;

/** Of what is new. */
export const STRICT: PodOptions = new Set();
