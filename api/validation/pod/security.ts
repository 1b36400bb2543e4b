/** Security contexts of pods and containers. */
import { fieldForbidden, invalidValue, required, tooLong } from '../../field-error.ts';
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
import { descending } from '../paths.ts';
import { oneOf, texts, Unique, type Errors } from '../rule.ts';

const MAX_ID = 2_147_483_647;

function id(out: Errors, path: string, value: number | undefined): void {
	if (value !== undefined && (value < 0 || value > MAX_ID))
		out.push(invalidValue(path, value, `must be between 0 and ${MAX_ID}, inclusive`));
}

function seccomp(out: Errors, path: string, profile: SeccompProfile | undefined): void {
	if (profile === undefined) return;
	const { type, localhostProfile } = profile;
	if (type === '') out.push(required(`${path}.type`, 'type is required when seccompProfile is set'));
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
	if (type !== '') oneOf(out, `${path}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
}

/** ValidateAppArmorProfileField. */
export function appArmorProfile(out: Errors, path: string, profile: AppArmorProfile | undefined): void {
	if (profile === undefined) return;
	const { type, localhostProfile } = profile;
	if ((type ?? '') === '') {
		out.push(required(`${path}.type`, 'type is required when appArmorProfile is set'));
		return;
	}
	if (type === 'Localhost') {
		if (localhostProfile === undefined || localhostProfile === '')
			out.push(required(`${path}.localhostProfile`, 'must be set when AppArmor type is Localhost'));
		else if (localhostProfile.trim() !== localhostProfile)
			out.push(invalidValue(`${path}.localhostProfile`, localhostProfile, 'must not be padded with whitespace'));
		else if (localhostProfile.length > MAX_PROFILE) out.push(tooLong(`${path}.localhostProfile`, MAX_PROFILE));
	} else if (localhostProfile !== undefined)
		out.push(invalidValue(`${path}.localhostProfile`, localhostProfile, 'can only be set when AppArmor type is Localhost'));
	oneOf(out, `${path}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
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
		const plain = name.replaceAll('/', '.');
		const owned = (['hostIPC', 'hostNetwork'] as const).find((key) => spec[key] === true && SYSCTLS[key].test(plain));
		if (owned !== undefined) out.push(invalidValue(at, name, `may not be specified when '${owned}' is true`));
	}
	oneOf(out, `${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
	seccomp(out, `${path}.seccompProfile`, context.seccompProfile);
	windowsOptions(out, `${path}.windowsOptions`, context.windowsOptions);
	oneOf(out, `${path}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ['Recursive']);
	oneOf(out, `${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']);
	appArmorProfile(out, `${path}.appArmorProfile`, context.appArmorProfile);
}

/** Sysctls that belong to a namespace of the host. */
const SYSCTLS = { hostIPC: /^(kernel\.(shm|msg|sem)|fs\.mqueue\.|kernel\.shm_rmid_forced)/, hostNetwork: /^net\./ } as const;

const MAX_USER = 104;
const MAX_DOMAIN = 255;

function windowsOptions(out: Errors, at: string, options: WindowsSecurityContextOptions | undefined): void {
	if (options === undefined) return;
	const { gmsaCredentialSpecName: name, gmsaCredentialSpec: gmsa, runAsUserName: user } = options;
	if (name !== undefined) texts(out, `${at}.gmsaCredentialSpecName`, name, dnsSubdomain(name));
	if (gmsa !== undefined) {
		if (gmsa === '') out.push(invalidValue(`${at}.gmsaCredentialSpec`, gmsa, 'gmsaCredentialSpec cannot be an empty string'));
		else if (gmsa.length > MAX_GMSA)
			out.push(invalidValue(`${at}.gmsaCredentialSpec`, gmsa, 'gmsaCredentialSpec size must be under 64 KiB'));
	}
	if (user !== undefined)
		for (const text of userComplaints(user)) out.push(invalidValue(`${at}.runAsUserName`, user, `runAsUserName${text}`));
}

const MAX_GMSA = 64 * 1024;

/** "user" or "domain\\user", as Windows names them. */
function userComplaints(given: string): readonly string[] {
	if (given === '') return [' cannot be an empty string'];
	// oxlint-disable-next-line no-control-regex
	if (/[\u0000-\u001f\u007f-\u009f]/.test(given)) return [' cannot contain control characters'];
	const parts = given.split('\\');
	if (parts.length > 2) return [' cannot contain more than one backslash'];
	const out: string[] = [];
	const user = parts.at(-1) ?? '';
	if (parts.length === 2) {
		const [domain = ''] = parts;
		if (domain.length > MAX_DOMAIN) out.push("'s Domain length must be under 256 characters");
		else if (!/^[^\\/:*?"<>|.]([^\\/:*?"<>|]{0,14})?$/.test(domain) && !/^[^\\/:*?"<>|]+$/.test(domain))
			out.push("'s Domain doesn't match the NetBios nor the DNS format");
	}
	if (user === '') out.push("'s User cannot be empty");
	else if (user.length > MAX_USER) out.push(`'s User length must not be longer than ${MAX_USER} characters`);
	else if (/^[. ]+$/.test(user)) out.push("'s User cannot contain only periods or spaces");
	else if (/["/\\[\]:;|=,+*?<>@]/.test(user)) out.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
	return out;
}

/** What only the host's own users may have. */
export function hostUsers(out: Errors, path: string, { hostUsers: own, hostNetwork, hostPID, hostIPC }: PodSpec): void {
	if (own !== false) return;
	const shown = 'when `hostUsers` is false';
	for (const [key, value] of Object.entries({ hostNetwork, HostPID: hostPID, HostIPC: hostIPC }))
		if (value === true) out.push(fieldForbidden(`${path}.${key}`, shown));
}

export function windowsHostProcess(out: Errors, path: string, spec: PodSpec): void {
	const inPod = spec.securityContext?.windowsOptions?.hostProcess;
	for (const list of ['initContainers', 'containers'] as const)
		for (const [i, { securityContext }] of (spec[list] ?? []).entries()) {
			const own = securityContext?.windowsOptions?.hostProcess;
			if (own !== undefined && inPod !== undefined && own !== inPod)
				out.push(
					invalidValue(
						`${path}.${list}[${i}].securityContext.windowsOptions.hostProcess`,
						own,
						`pod hostProcess value must be identical if both are specified, was ${inPod}`,
					),
				);
		}
	const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
	const hosted = all.filter((c) => c.securityContext?.windowsOptions?.hostProcess ?? inPod ?? false);
	if (hosted.length === 0) return;
	if (hosted.length < all.length)
		out.push(invalidValue(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
	if (spec.hostNetwork !== true)
		out.push(invalidValue(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
}
