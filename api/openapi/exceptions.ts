/** What upstream's OpenAPI says of single kinds and fields, and no rule of the contract does. */

/** Fields that may be left out, of which the zero value is shown as default all the same. */
export const ZERO_DEFAULTS: ReadonlySet<string> = new Set([
	...['ConfigMapEnvSource', 'ConfigMapKeySelector', 'ConfigMapProjection', 'ConfigMapVolumeSource', 'LocalObjectReference'].map(nameOf),
	...['SecretEnvSource', 'SecretKeySelector', 'SecretProjection'].map(nameOf),
	'core/v1.ReplicationControllerSpec.minReadySeconds',
	'autoscaling/v1.ScaleSpec.replicas',
]);

function nameOf(type: string): string {
	return `core/v1.${type}.name`;
}

/** Closed sets of the values of maps. */
export const ENUMS: Readonly<Record<string, readonly string[]>> = {
	'core/v1.ClaimResourceStatus': [
		'ControllerResizeInProgress',
		'ControllerResizeInfeasible',
		'NodeResizeInProgress',
		'NodeResizeInfeasible',
		'NodeResizePending',
	],
};

/** Upstream has no text for them, not even that of their types. */
export const UNDESCRIBED: ReadonlySet<string> = new Set([
	'networking/v1.IngressRule.http',
	...['additionalItems', 'additionalProperties', 'example', 'externalDocs', 'items', 'not'].map(
		(field) => `apiextensions/v1.JSONSchemaProps.${field}`,
	),
]);
