/** Security contexts of pods and containers. */
import { fieldForbidden, invalidValue, required } from '../field-error.ts';
import type { AppArmorProfile, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext } from '../gen/types.ts';
import { descending } from './paths.ts';
import { oneOf, texts, Unique, type Errors } from './rule.ts';

const MAX_ID = 2_147_483_647;

function id(out: Errors, path: string, value: number | undefined): void {
	if (value !== undefined && (value < 0 || value > MAX_ID))
		out.push(invalidValue(path, value, `must be between 0 and ${MAX_ID}, inclusive`));
}

function seccomp(out: Errors, path: string, profile: SeccompProfile | undefined): void {
	if (profile === undefined) return;
	const { type, localhostProfile } = profile;
	if (type === 'Localhost') {
		if (localhostProfile === undefined) out.push(required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost'));
		else descending(out, `${path}.localhostProfile`, localhostProfile);
	} else if (localhostProfile !== undefined)
		out.push(invalidValue(`${path}.localhostProfile`, localhostProfile, 'can only be set when seccomp type is Localhost'));
	if (type === '') out.push(required(`${path}.type`, 'type is required when seccompProfile is set'));
	else oneOf(out, `${path}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
}

function appArmor(out: Errors, path: string, profile: AppArmorProfile | undefined): void {
	if (profile === undefined) return;
	const { type, localhostProfile } = profile;
	if (type === 'Localhost') {
		if (localhostProfile === undefined || localhostProfile === '')
			out.push(required(`${path}.localhostProfile`, 'must be set when AppArmor type is Localhost'));
	} else if (localhostProfile !== undefined)
		out.push(invalidValue(`${path}.localhostProfile`, localhostProfile, 'can only be set when AppArmor type is Localhost'));
	oneOf(out, `${path}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
}

export function containerSecurity(out: Errors, path: string, context: SecurityContext | undefined): void {
	if (context === undefined) return;
	id(out, `${path}.runAsUser`, context.runAsUser);
	id(out, `${path}.runAsGroup`, context.runAsGroup);
	oneOf(out, `${path}.procMount`, context.procMount, ['Default', 'Unmasked']);
	seccomp(out, `${path}.seccompProfile`, context.seccompProfile);
	if (context.allowPrivilegeEscalation === false) {
		if (context.privileged === true)
			out.push(invalidValue(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
		if (context.capabilities?.add?.some((capability) => capability === 'CAP_SYS_ADMIN') === true)
			out.push(invalidValue(path, context, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'));
	}
	appArmor(out, `${path}.appArmorProfile`, context.appArmorProfile);
}

export function podSecurity(out: Errors, path: string, context: PodSecurityContext | undefined, spec: PodSpec): void {
	if (context === undefined) return;
	id(out, `${path}.fsGroup`, context.fsGroup);
	id(out, `${path}.runAsUser`, context.runAsUser);
	id(out, `${path}.runAsGroup`, context.runAsGroup);
	for (const [i, group] of (context.supplementalGroups ?? []).entries()) id(out, `${path}.supplementalGroups[${i}]`, group);
	if (spec.shareProcessNamespace === true && spec.hostPID === true)
		out.push(invalidValue(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
	const names = new Unique();
	for (const [i, { name }] of (context.sysctls ?? []).entries()) {
		const at = `${path}.sysctls[${i}].name`;
		if (name === '') out.push(required(at));
		else if (!/^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 253)
			texts(out, at, name, [
				'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
			]);
		names.check(out, at, name);
	}
	oneOf(out, `${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
	seccomp(out, `${path}.seccompProfile`, context.seccompProfile);
	oneOf(out, `${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']);
	appArmor(out, `${path}.appArmorProfile`, context.appArmorProfile);
}

/** Fields that make no sense on that operating system. */
export function osFields(out: Errors, path: string, spec: PodSpec): void {
	if (spec.os?.name === 'windows') {
		const context = spec.securityContext;
		for (const key of [
			'appArmorProfile',
			'seLinuxOptions',
			'seccompProfile',
			'fsGroup',
			'fsGroupChangePolicy',
			'sysctls',
			'runAsUser',
			'runAsGroup',
			'supplementalGroups',
		] as const)
			if (context?.[key] !== undefined) out.push(fieldForbidden(`${path}.securityContext.${key}`, 'cannot be set for a windows pod'));
		for (const key of ['hostPID', 'hostIPC', 'shareProcessNamespace'] as const)
			if (spec[key] === true) out.push(fieldForbidden(`${path}.${key}`, 'cannot be set for a windows pod'));
	}
}

export function windowsHostProcess(out: Errors, path: string, spec: PodSpec): void {
	const inPod = spec.securityContext?.windowsOptions?.hostProcess;
	const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
	const hosted = all.filter((c) => c.securityContext?.windowsOptions?.hostProcess ?? inPod ?? false);
	if (hosted.length === 0) return;
	if (hosted.length < all.length)
		out.push(invalidValue(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
	if (spec.hostNetwork !== true)
		out.push(invalidValue(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
}
