/** The checks that Pod Security Standard "restricted" adds to baseline. Pure. */
import type { Volume } from '../../../../api/gen/types.ts';
import { procMount, seccompUnconfined, USER_NAMESPACES_SINCE } from './checks-baseline.ts';
import { containerNames, containersOf, quoted, type Check } from './check.ts';

const VOLUME_TYPES = new Set([
	'configMap',
	'downwardAPI',
	'emptyDir',
	'projected',
	'secret',
	'csi',
	'ephemeral',
	'persistentVolumeClaim',
	'image',
]);
const SECCOMP_TYPES = new Set(['RuntimeDefault', 'Localhost']);
/** Since these minor versions the policy looks at spec.os and lets Windows pods off some checks. */
const OS_SINCE = 25;

const escalation: Check = ({ spec, minor }) => {
	if (minor >= OS_SINCE && spec.os?.name === 'windows') return undefined;
	const wrong = containersOf(spec).filter((c) => c.securityContext?.allowPrivilegeEscalation !== false);
	return wrong.length === 0
		? undefined
		: {
				reason: 'allowPrivilegeEscalation != false',
				detail: `${containerNames(wrong)} must set securityContext.allowPrivilegeEscalation=false`,
			};
};

const capabilities: Check = ({ spec, minor }) => {
	if (minor >= OS_SINCE && spec.os?.name === 'windows') return undefined;
	const added = new Set<string>();
	const all = containersOf(spec);
	const keeping = all.filter((c) => !(c.securityContext?.capabilities?.drop ?? []).includes('ALL'));
	const adding = all.filter((c) => {
		const beyond = (c.securityContext?.capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
		for (const name of beyond) added.add(name);
		return beyond.length > 0;
	});
	const details: string[] = [];
	if (keeping.length > 0) details.push(`${containerNames(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
	if (adding.length > 0)
		details.push(`${containerNames(adding)} must not include ${quoted([...added].sort())} in securityContext.capabilities.add`);
	return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const volumes: Check = ({ spec }) => {
	const wrong: string[] = [];
	const types = new Set<string>();
	for (const volume of spec.volumes ?? []) {
		const type = typeOf(volume);
		if (type === undefined || VOLUME_TYPES.has(type)) continue;
		wrong.push(volume.name);
		types.add(type);
	}
	if (wrong.length === 0) return undefined;
	const list = [...types].sort();
	return {
		reason: 'restricted volume types',
		detail: `${wrong.length === 1 ? 'volume' : 'volumes'} ${quoted(wrong)} ${wrong.length === 1 ? 'uses' : 'use'} restricted volume ${list.length === 1 ? 'type' : 'types'} ${quoted(list)}`,
	};
};

function typeOf(volume: Volume): string | undefined {
	return Object.entries(volume).find(([key, value]) => key !== 'name' && value !== undefined)?.[0];
}

const runAsNonRoot: Check = ({ spec, minor }) => {
	if (spec.hostUsers === false && minor >= USER_NAMESPACES_SINCE) return undefined;
	const pod = spec.securityContext?.runAsNonRoot;
	const bad = containersOf(spec).filter((c) => c.securityContext?.runAsNonRoot === false);
	const details: string[] = [];
	if (pod === false) details.push('pod');
	if (bad.length > 0) details.push(containerNames(bad));
	if (details.length > 0)
		return { reason: 'runAsNonRoot != true', detail: `${details.join(' and ')} must not set securityContext.runAsNonRoot=false` };
	if (pod === true) return undefined;
	const lacking = containersOf(spec).filter((c) => c.securityContext?.runAsNonRoot === undefined);
	return lacking.length === 0
		? undefined
		: { reason: 'runAsNonRoot != true', detail: `pod or ${containerNames(lacking)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: Check = ({ spec, minor }) => {
	if (spec.hostUsers === false && minor >= USER_NAMESPACES_SINCE) return undefined;
	const setters: string[] = [];
	if (spec.securityContext?.runAsUser === 0) setters.push('pod');
	const wrong = containersOf(spec).filter((c) => c.securityContext?.runAsUser === 0);
	if (wrong.length > 0) setters.push(containerNames(wrong));
	return setters.length === 0 ? undefined : { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
};

const seccomp: Check = (subject) => {
	const { spec, minor } = subject;
	if (minor >= OS_SINCE && spec.os?.name === 'windows') return undefined;
	const unconfined = seccompUnconfined(subject);
	if (unconfined !== undefined) return unconfined;
	const pod = spec.securityContext?.seccompProfile?.type;
	if (pod !== undefined && SECCOMP_TYPES.has(pod)) return undefined;
	const lacking = containersOf(spec).filter((c) => c.securityContext?.seccompProfile === undefined);
	if (lacking.length === 0) return undefined;
	return {
		reason: 'seccompProfile',
		detail: `pod or ${containerNames(lacking)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
	};
};

/** By check id, with the first minor version that has it and the baseline check it replaces. */
export const RESTRICTED_CHECKS: readonly {
	readonly id: string;
	readonly check: Check;
	readonly since: number;
	readonly replaces?: string;
}[] = [
	{ id: 'allowPrivilegeEscalation', check: escalation, since: 8 },
	{ id: 'capabilities_restricted', check: capabilities, since: 22, replaces: 'capabilities_baseline' },
	{ id: 'procMount_restricted', check: procMount, since: 35, replaces: 'procMount' },
	{ id: 'restrictedVolumes', check: volumes, since: 0, replaces: 'hostPathVolumes' },
	{ id: 'runAsNonRoot', check: runAsNonRoot, since: 0 },
	{ id: 'runAsUser', check: runAsUser, since: 23 },
	{ id: 'seccompProfile_restricted', check: seccomp, since: 19, replaces: 'seccompProfile_baseline' },
];
