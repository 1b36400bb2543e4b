/** What not every kubelet can do and this one says of itself (component-helpers nodedeclaredfeatures). */

/** Those that scheduler and API server of 1.36 ask nodes for and this one has; sorted. No change of a pod that is here needs another one. */
export const DECLARED_FEATURES: readonly string[] = [
	'ExtendWebSocketsToKubelet',
	'InPlacePodLevelResourcesVerticalScaling',
	'InPlacePodVerticalScalingInitContainers',
	'RestartAllContainersOnContainerExits',
];
