/** Which admission plugins run: upstream's names, those that are off unless they are asked for, and what was asked. */
import { AppError } from '../../../base/errors.ts';

/** Off unless enabled. */
const OPTIONAL = [
	'AlwaysAdmit',
	'NamespaceAutoProvision',
	'NamespaceExists',
	'LimitPodHardAntiAffinityTopology',
	'AlwaysPullImages',
	'PodNodeSelector',
	'ExtendedResourceToleration',
	'OwnerReferencesPermissionEnforcement',
	'DenyServiceExternalIPs',
	'ImagePolicyWebhook',
	'PodTolerationRestriction',
	'EventRateLimit',
	'AlwaysDeny',
];

/** On unless disabled; NodeRestriction is so here only, as clusters of upstream's installer have it. */
const USUAL = [
	'NamespaceLifecycle',
	'LimitRanger',
	'ServiceAccount',
	'NodeRestriction',
	'TaintNodesByCondition',
	'PodSecurity',
	'Priority',
	'DefaultTolerationSeconds',
	'DefaultStorageClass',
	'StorageObjectInUseProtection',
	'PersistentVolumeClaimResize',
	'RuntimeClass',
	'CertificateApproval',
	'CertificateSigning',
	'CertificateSubjectRestriction',
	'DefaultIngressClass',
	'PodTopologyLabels',
	'NodeDeclaredFeatureValidator',
	'PodResizeValidator',
	'MutatingAdmissionPolicy',
	'MutatingAdmissionWebhook',
	'ValidatingAdmissionPolicy',
	'ValidatingAdmissionWebhook',
	'ResourceQuota',
];

/** Of features that are off: they have nothing to do. */
const IDLE = ['PodGroupProtection', 'ClusterTrustBundleAttest', 'PodGroupWorkloadExists', 'JobValidation'];

export interface PluginChoice {
	readonly enabled: readonly string[];
	readonly disabled: readonly string[];
}

/** The choice as upstream's flags say it; AppError InvalidArgument. */
export function choosePlugins(enabled: readonly string[], disabled: readonly string[]): PluginChoice {
	const known = new Set([...OPTIONAL, ...USUAL, ...IDLE]);
	const refuse = (why: string): never => {
		throw new AppError('InvalidArgument', why);
	};
	for (const name of enabled) if (!known.has(name)) refuse(`enable-admission-plugins plugin ${JSON.stringify(name)} is unknown`);
	for (const name of disabled) if (!known.has(name)) refuse(`disable-admission-plugins plugin ${JSON.stringify(name)} is unknown`);
	const both = enabled.filter((name) => disabled.includes(name)).toSorted();
	if (both.length > 0) refuse(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
	return { enabled, disabled };
}

/** True for a plugin that runs. */
export function isChosen(name: string, { enabled, disabled }: PluginChoice): boolean {
	return enabled.includes(name) || !(OPTIONAL.includes(name) || disabled.includes(name));
}
