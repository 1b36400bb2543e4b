/** Security contexts of pod and container as the runtime takes them. Pure. */
import type { Pod, SeccompProfile, SELinuxOptions } from '../../api/gen/types.ts';
import {
	type IDMapping,
	NamespaceMode,
	SecurityProfile_ProfileType,
	SupplementalGroupsPolicy,
	type Int64Value,
	type LinuxContainerSecurityContext,
	type LinuxSandboxSecurityContext,
	type NamespaceOption,
	type SELinuxOption,
	type SecurityProfile,
} from '../../wire/gen/cri.ts';
import { containersOf, type PodContainer } from '../pod/containers.ts';
import type { IdRange } from '../users/id-range.ts';
import { READONLY_PATHS } from './masked-paths.ts';
import type { ContainerOptions } from './runtime.ts';

/** @param users the pod's own; the machine's when undefined */
export function sandboxSecurity(pod: Pod, users?: IdRange): LinuxSandboxSecurityContext {
	const context = pod.spec?.securityContext;
	return {
		namespaceOptions: namespaces(pod, '', '', users),
		selinuxOptions: selinux(context?.seLinuxOptions),
		runAsUser: int64(context?.runAsUser),
		runAsGroup: int64(context?.runAsGroup),
		readonlyRootfs: false,
		supplementalGroups: groupsOf(pod),
		supplementalGroupsPolicy: groupsPolicy(pod),
		privileged: containersOf(pod).some((c) => c.spec.securityContext?.privileged === true),
		seccomp: profile({ type: 'RuntimeDefault' }),
		apparmor: undefined,
		seccompProfilePath: '',
	};
}

interface ContainerPlace {
	readonly targetId: string;
	/** What the container does not see of /proc and /sys unless it is told otherwise. */
	readonly masked: readonly string[];
	readonly users?: IdRange | undefined;
	readonly imageUser?: ContainerOptions['imageUser'] | undefined;
}

export function containerSecurity(pod: Pod, c: PodContainer, place: ContainerPlace): LinuxContainerSecurityContext {
	const [podContext, own] = [pod.spec?.securityContext, c.spec.securityContext];
	const privileged = own?.privileged === true;
	const unmasked = privileged || own?.procMount === 'Unmasked';
	const appArmor = own?.appArmorProfile ?? annotatedAppArmor(pod, c.spec.name) ?? podContext?.appArmorProfile;
	const user = own?.runAsUser ?? podContext?.runAsUser;
	const group = own?.runAsGroup ?? podContext?.runAsGroup;
	// Runtimes refuse a group without a user: it is the image's, and root where that names none.
	const { uid, username = '' } = (user === undefined && group !== undefined ? place.imageUser : undefined) ?? {};
	const ofImage = uid ?? (group !== undefined && username === '' ? 0 : undefined);
	const capabilities = own?.capabilities;
	return {
		capabilities: {
			addCapabilities: [...(capabilities?.add ?? [])],
			dropCapabilities: [...(capabilities?.drop ?? [])],
			addAmbientCapabilities: [],
		},
		privileged,
		namespaceOptions: namespaces(pod, c.target, place.targetId, place.users),
		selinuxOptions: selinux(own?.seLinuxOptions ?? podContext?.seLinuxOptions),
		runAsUser: int64(user ?? ofImage),
		runAsGroup: int64(group),
		runAsUsername: uid === undefined ? username : '',
		readonlyRootfs: own?.readOnlyRootFilesystem === true,
		supplementalGroups: groupsOf(pod),
		supplementalGroupsPolicy: groupsPolicy(pod),
		noNewPrivs: own?.allowPrivilegeEscalation === false,
		maskedPaths: unmasked ? [] : [...place.masked],
		readonlyPaths: unmasked ? [] : [...READONLY_PATHS],
		seccomp: privileged
			? profile({ type: 'Unconfined' })
			: profile(own?.seccompProfile ?? podContext?.seccompProfile ?? { type: 'Unconfined' }),
		apparmor: appArmor === undefined ? undefined : profile(appArmor),
		apparmorProfile: '',
		seccompProfilePath: '',
	};
}

/** Pods that no API server has seen may have it in an annotation only. */
function annotatedAppArmor({ metadata }: Pod, container: string): SeccompProfile | undefined {
	const value = metadata.annotations?.[`container.apparmor.security.beta.kubernetes.io/${container}`] ?? '';
	if (value === '') return undefined;
	if (value === 'unconfined') return { type: 'Unconfined' };
	if (value === 'runtime/default') return { type: 'RuntimeDefault' };
	return value.startsWith('localhost/') ? { type: 'Localhost', localhostProfile: value.slice('localhost/'.length) } : undefined;
}

function namespaces(pod: Pod, target: string, targetId: string, users: IdRange | undefined): NamespaceOption {
	const spec = pod.spec;
	const pid =
		spec?.hostPID === true ? NamespaceMode.NODE : spec?.shareProcessNamespace === true ? NamespaceMode.POD : NamespaceMode.CONTAINER;
	return {
		network: spec?.hostNetwork === true ? NamespaceMode.NODE : NamespaceMode.POD,
		pid: target !== '' && targetId !== '' ? NamespaceMode.TARGET : pid,
		ipc: spec?.hostIPC === true ? NamespaceMode.NODE : NamespaceMode.POD,
		targetId,
		usernsOptions: {
			mode: users === undefined ? NamespaceMode.NODE : NamespaceMode.POD,
			uids: [...idMappings(users)],
			gids: [...idMappings(users)],
		},
	};
}

/** None for the machine's. */
export function idMappings(users: IdRange | undefined): readonly IDMapping[] {
	return users === undefined ? [] : [{ hostId: users.hostId, containerId: 0, length: users.length }];
}

function groupsOf(pod: Pod): bigint[] {
	const context = pod.spec?.securityContext;
	return [...(context?.supplementalGroups ?? []), ...(context?.fsGroup === undefined ? [] : [context.fsGroup])].map(BigInt);
}

function groupsPolicy(pod: Pod): SupplementalGroupsPolicy {
	return pod.spec?.securityContext?.supplementalGroupsPolicy === 'Strict'
		? SupplementalGroupsPolicy.Strict
		: SupplementalGroupsPolicy.Merge;
}

function profile(from: SeccompProfile): SecurityProfile {
	const types = SecurityProfile_ProfileType;
	const type = from.type === 'RuntimeDefault' ? types.RuntimeDefault : from.type === 'Localhost' ? types.Localhost : types.Unconfined;
	return { profileType: type, localhostRef: from.localhostProfile ?? '' };
}

function selinux(options: SELinuxOptions | undefined): SELinuxOption | undefined {
	if (options === undefined) return undefined;
	const { user = '', role = '', type = '', level = '' } = options;
	return { user, role, type, level };
}

function int64(value: number | undefined): Int64Value | undefined {
	return value === undefined ? undefined : { value: BigInt(value) };
}
