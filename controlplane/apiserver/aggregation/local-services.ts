/** The APIServices that stand for what this server serves itself: built-in group versions, and those of definitions as they come and go. Pure. */
import type { APIService, CustomResourceDefinition } from '../../../api/gen/types.ts';
import { RESOURCES } from '../../../api/resources.ts';
import { isEstablished } from '../custom/conditions.ts';

export const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Upstream's apiVersionPriorities: the order of groups in discovery. Groups that are not here come later. */
const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
	'': 18_000,
	'apiregistration.k8s.io': 20_000,
	apps: 17_800,
	'events.k8s.io': 17_750,
	'authentication.k8s.io': 17_700,
	'authorization.k8s.io': 17_600,
	autoscaling: 17_500,
	batch: 17_400,
	'certificates.k8s.io': 17_300,
	'networking.k8s.io': 17_200,
	policy: 17_100,
	'rbac.authorization.k8s.io': 17_000,
	'storage.k8s.io': 16_800,
	'admissionregistration.k8s.io': 16_700,
	'apiextensions.k8s.io': 16_700,
	'scheduling.k8s.io': 16_600,
	'coordination.k8s.io': 16_500,
	'node.k8s.io': 16_300,
	'discovery.k8s.io': 16_200,
	'resource.k8s.io': 16_200,
	'flowcontrol.apiserver.k8s.io': 16_100,
};
const VERSION_PRIORITIES: Readonly<Record<string, number>> = {
	'/v1': 1,
	'autoscaling/v2': 30,
	'flowcontrol.apiserver.k8s.io/v1': 21,
	'resource.k8s.io/v1': 21,
};
const CUSTOM_GROUP_PRIORITY = 1000;
const CUSTOM_VERSION_PRIORITY = 100;

/** Made once; whoever changes them is right. */
export function builtInServices(): readonly APIService[] {
	const found = new Map<string, APIService>();
	for (const { group, version } of RESOURCES) {
		// The aggregator's own group is served without one.
		if (group === 'apiregistration.k8s.io') continue;
		const [groupPriority, versionPriority] = [GROUP_PRIORITIES[group] ?? 15_000, VERSION_PRIORITIES[`${group}/${version}`] ?? 15];
		found.set(`${group}/${version}`, service(group, version, groupPriority, versionPriority, 'onstart'));
	}
	return [...found.values()];
}

/** Kept as they should be. */
export function customServices(definitions: readonly CustomResourceDefinition[]): readonly APIService[] {
	const found = new Map<string, APIService>();
	for (const definition of definitions) {
		if (!isEstablished(definition)) continue;
		const { group = '', versions = [] } = definition.spec;
		for (const { name = '', served } of versions)
			if (served) found.set(`${group}/${name}`, service(group, name, CUSTOM_GROUP_PRIORITY, CUSTOM_VERSION_PRIORITY, 'true'));
	}
	return [...found.values()];
}

function service(group: string, version: string, groupPriorityMinimum: number, versionPriority: number, managed: string): APIService {
	return {
		metadata: { name: `${version}.${group}`, labels: { [MANAGED]: managed } },
		spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
	};
}

/** Where a group stands among the others: the highest of its versions' priorities, so that an APIService can move it. */
export function groupPriority(group: string, services: readonly APIService[]): number {
	let highest = group === 'apiregistration.k8s.io' ? 20_000 : (GROUP_PRIORITIES[group] ?? 0);
	for (const { spec } of services) if (spec?.group === group) highest = Math.max(highest, spec.groupPriorityMinimum);
	return highest;
}

/** Where a version stands in its group; those alike are ordered by their names. */
export function versionPriority(group: string, version: string, services: readonly APIService[]): number {
	const found = services.find(({ spec }) => (spec?.group ?? '') === group && spec?.version === version);
	return found?.spec?.versionPriority ?? VERSION_PRIORITIES[`${group}/${version}`] ?? 15;
}
