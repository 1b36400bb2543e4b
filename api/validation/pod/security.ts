/** Security contexts of pods and containers. */
import { duplicate, fieldForbidden, invalidValue, notSupported, required, tooLong } from '../../field-error.ts';
import type {
	AppArmorProfile,
	PodSecurityContext,
	PodSpec,
	SeccompProfile,
	SecurityContext,
	WindowsSecurityContextOptions,
} from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { dnsSubdomain } from '../names.ts';
import { windowsUser } from './windows-user.ts';
import { containersOf } from './containers-of.ts';
import type { PodOptions } from './options.ts';
import { descending } from '../paths.ts';
import { oneOf, texts, type Errors } from '../rule.ts';

const MAX_ID = 2_147_483_647;
/** Kinds of profiles, of seccomp and of AppArmor. */
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function id(out: Errors, path: string, value: number | undefined): void {
	if (value !== undefined && (value < 0 || value > MAX_ID))
		out.push(invalidValue(path, value, `must be between 0 and ${MAX_ID}, inclusive`));
}

function seccomp(out: Errors, path: string, profile: SeccompProfile | undefined): void {
	if (profile === undefined) return;
	const { type, localhostProfile } = profile;
	if (type === '') out.push(required(`${path}.type`, 'type is required when seccompProfile is set'));
	else oneOf(out, `${path}.type`, type, PROFILES);
	if (type === 'Localhost') {
		if (localhostProfile === undefined) out.push(required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost'));
		else descending(out, `${path}.localhostProfile`, localhostProfile);
	} else if (localhostProfile !== undefined)
		out.push(
			invalidValue(
				`${path}.localhostProfile`,
				internalForm('core/v1.SeccompProfile', profile),
				'can only be set when seccomp type is Localhost',
			),
		);
}

/** ValidateAppArmorProfileField. */
export function appArmorProfile(out: Errors, path: string, profile: AppArmorProfile | undefined): void {
	if (profile === undefined) return;
	const { type, localhostProfile } = profile;
	if ((type ?? '') === '') {
		out.push(required(`${path}.type`, 'type is required when appArmorProfile is set'));
		return;
	}
	if (!PROFILES.includes(type)) out.push(notSupported(`${path}.type`, type, PROFILES));
	else if (type === 'Localhost') {
		if (localhostProfile === undefined || localhostProfile === '')
			out.push(required(`${path}.localhostProfile`, 'must be set when AppArmor type is Localhost'));
		else if (localhostProfile.trim() !== localhostProfile)
			out.push(invalidValue(`${path}.localhostProfile`, localhostProfile, 'must not be padded with whitespace'));
		if (Buffer.byteLength(localhostProfile ?? '') > MAX_PROFILE) out.push(tooLong(`${path}.localhostProfile`, MAX_PROFILE));
	} else if (localhostProfile !== undefined)
		out.push(invalidValue(`${path}.localhostProfile`, localhostProfile, 'can only be set when AppArmor type is Localhost'));
}

const MAX_PROFILE = 4095;

export function containerSecurity(out: Errors, path: string, context: SecurityContext | undefined, spec: PodSpec): void {
	if (context === undefined) return;
	id(out, `${path}.runAsUser`, context.runAsUser);
	id(out, `${path}.runAsGroup`, context.runAsGroup);
	oneOf(out, `${path}.procMount`, context.procMount, ['Default', 'Unmasked']);
	if (context.procMount === 'Unmasked' && (spec.hostUsers ?? true))
		out.push(invalidValue(`${path}.procMount`, context.procMount, '`hostUsers` must be false to use `Unmasked`'));
	seccomp(out, `${path}.seccompProfile`, context.seccompProfile);
	const say = (text: string): void => void out.push(invalidValue(path, internalForm('core/v1.SecurityContext', context), text));
	if (context.allowPrivilegeEscalation === false) {
		if (context.privileged === true) say('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
		if (context.capabilities?.add?.some((capability) => capability === 'CAP_SYS_ADMIN') === true)
			say('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
	}
	windowsOptions(out, `${path}.windowsOptions`, context.windowsOptions);
	appArmorProfile(out, `${path}.appArmorProfile`, context.appArmorProfile);
}

export function podSecurity(out: Errors, path: string, context: PodSecurityContext | undefined, spec: PodSpec, options: PodOptions): void {
	if (context === undefined) return;
	id(out, `${path}.fsGroup`, context.fsGroup);
	id(out, `${path}.runAsUser`, context.runAsUser);
	id(out, `${path}.runAsGroup`, context.runAsGroup);
	for (const [i, group] of (context.supplementalGroups ?? []).entries()) id(out, `${path}.supplementalGroups[${i}]`, group);
	if (spec.shareProcessNamespace === true && spec.hostPID === true)
		out.push(invalidValue(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
	sysctls(out, `${path}.sysctls`, context, spec, options);
	oneOf(out, `${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
	seccomp(out, `${path}.seccompProfile`, context.seccompProfile);
	windowsOptions(out, `${path}.windowsOptions`, context.windowsOptions);
	appArmorProfile(out, `${path}.appArmorProfile`, context.appArmorProfile);
	oneOf(out, `${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']);
	oneOf(out, `${path}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ['Recursive']);
}

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const MAX_SYSCTL = 253;
const SYSCTL_TEXT = `must have at most ${MAX_SYSCTL} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
/** Those that belong to a namespace of the host. */
const OF_HOST = {
	hostNetwork: /^net\./,
	hostIPC: /^(kernel\.(sem|shm(all|max|mni|_rmid_forced)?|msg(max|mnb|mni)?)$|fs\.mqueue\.)/,
} as const;

function sysctls(out: Errors, path: string, { sysctls: list = [] }: PodSecurityContext, spec: PodSpec, options: PodOptions): void {
	const names = new Set<string>();
	for (const [i, { name }] of list.entries()) {
		const at = `${path}[${i}].name`;
		if (name === '') out.push(required(at));
		else if (!SYSCTL.test(name) || name.length > MAX_SYSCTL) out.push(invalidValue(at, name, SYSCTL_TEXT));
		else if (names.has(name)) out.push(duplicate(at, name));
		const owned = options.has('hostSysctls') ? undefined : hostOwner(name, spec);
		if (owned !== undefined) out.push(invalidValue(at, name, `may not be specified when '${owned}' is true`));
		names.add(name);
	}
}

/** The field by which the pod is in that namespace of the host. */
export function hostOwner(name: string, spec: PodSpec): keyof typeof OF_HOST | undefined {
	const plain = dotted(name);
	return (['hostNetwork', 'hostIPC'] as const).find((key) => spec[key] === true && OF_HOST[key].test(plain));
}

/** With slashes, dots are of the names between them; what comes after a star is nobody's. */
function dotted(name: string): string {
	const first = /[./]/.exec(name)?.[0];
	const plain = first === '/' ? name.replaceAll(/[./]/g, (c) => (c === '/' ? '.' : '/')) : name;
	return plain.split('*')[0] ?? '';
}

function windowsOptions(out: Errors, at: string, options: WindowsSecurityContextOptions | undefined): void {
	if (options === undefined) return;
	const { gmsaCredentialSpecName: name, gmsaCredentialSpec: gmsa, runAsUserName: user } = options;
	if (name !== undefined) texts(out, `${at}.gmsaCredentialSpecName`, name, dnsSubdomain(name));
	if (gmsa !== undefined) {
		if (gmsa === '') out.push(invalidValue(`${at}.gmsaCredentialSpec`, gmsa, 'gmsaCredentialSpec cannot be an empty string'));
		else if (Buffer.byteLength(gmsa) > MAX_GMSA)
			out.push(invalidValue(`${at}.gmsaCredentialSpec`, gmsa, 'gmsaCredentialSpec size must be under 64 KiB'));
	}
	if (user !== undefined) for (const text of windowsUser(user)) out.push(invalidValue(`${at}.runAsUserName`, user, `runAsUserName${text}`));
}

const MAX_GMSA = 64 * 1024;

/** What only the host's own users may have. */
export function hostUsers(out: Errors, path: string, spec: PodSpec, options: PodOptions): void {
	const { hostUsers: own, hostNetwork, hostPID, hostIPC } = spec;
	if (own !== false) return;
	const shown = 'when `hostUsers` is false';
	for (const [key, value] of Object.entries({ hostNetwork, HostPID: hostPID, HostIPC: hostIPC }))
		if (value === true) out.push(fieldForbidden(`${path}.${key}`, shown));
	if (options.has('userNamespaceDevices')) return;
	for (const [at, { volumeDevices = [] }] of containersOf(path, spec))
		if (volumeDevices.length > 0) out.push(fieldForbidden(`${at}.volumeDevices`, shown));
}

export function windowsHostProcess(out: Errors, path: string, spec: PodSpec): void {
	const inPod = spec.securityContext?.windowsOptions?.hostProcess;
	const all = [...containersOf(path, spec)];
	for (const [at, { securityContext }] of all) {
		const own = securityContext?.windowsOptions?.hostProcess;
		const text = `pod hostProcess value must be identical if both are specified, was ${inPod}`;
		if (own !== undefined && inPod !== undefined && own !== inPod)
			out.push(invalidValue(`${at}.securityContext.windowsOptions.hostProcess`, own, text));
	}
	const hosted = all.filter(([, c]) => c.securityContext?.windowsOptions?.hostProcess ?? inPod ?? false);
	if (hosted.length === 0) return;
	if (hosted.length < all.length)
		out.push(invalidValue(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
	if (spec.hostNetwork !== true)
		out.push(invalidValue(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
}
