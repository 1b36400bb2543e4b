/** Pods and containers as CRI configurations. Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { timeOf } from '../../api/time.ts';
import {
	MountPropagation,
	Protocol,
	type ContainerConfig,
	type ImageSpec,
	type LinuxContainerResources,
	type Mount as CriMount,
	type PodSandboxConfig,
} from '../../wire/gen/cri.ts';
import { containersOf, type PodContainer } from '../pod/containers.ts';
import { containerHash } from '../pod/hash.ts';
import { isStatic, SEEN, SOURCE } from '../static/static-pod.ts';
import { toCriSignal } from './cri-signal.ts';
import { linuxResources } from './cri-resources.ts';
import type { IdRange } from '../users/id-range.ts';
import { containerSecurity, idMappings, sandboxSecurity } from './cri-security.ts';
import { maskedPaths } from './masked-paths.ts';
import type { ContainerOptions, ContainerPlacement, Mount, SandboxOptions } from './runtime.ts';

export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';
export const HASH = 'io.kubernetes.container.hash';
export const RESTART_COUNT = 'io.kubernetes.container.restartCount';

export function sandboxConfig(pod: Pod, options: SandboxOptions): PodSandboxConfig {
	const { name = '', namespace = '', uid = '' } = pod.metadata;
	const context = pod.spec?.securityContext;
	const lasting = containersOf(pod).filter(({ kind }) => kind === 'app' || kind === 'sidecar');
	const ports = pod.spec?.hostNetwork === true ? [] : lasting.flatMap(({ spec }) => spec.ports ?? []);
	return {
		metadata: { name, namespace, uid, attempt: options.attempt },
		hostname: options.hostname,
		logDirectory: options.logDirectory,
		dnsConfig: { servers: [...options.dns.servers], searches: [...options.dns.searches], options: [...options.dns.options] },
		portMappings: ports.map((p) => ({
			protocol: Protocol[(p.protocol ?? 'TCP') as 'TCP' | 'UDP' | 'SCTP'],
			containerPort: p.containerPort,
			hostPort: p.hostPort ?? 0,
			hostIp: p.hostIP ?? '',
		})),
		labels: { ...pod.metadata.labels, ...podLabels(pod) },
		annotations: { ...pod.metadata.annotations, ...originOf(pod, options) },
		linux: {
			cgroupParent: options.cgroupParent,
			securityContext: sandboxSecurity(pod, options.users),
			sysctls: Object.fromEntries((context?.sysctls ?? []).map((s) => [s.name, s.value])),
			overhead: undefined,
			resources: undefined,
		},
		windows: undefined,
	};
}

/** Where the agent has the pod from, and since when: a static one says so itself. */
function originOf(pod: Pod, { seenAt }: SandboxOptions): Record<string, string> {
	if (isStatic(pod)) return {};
	return { [SOURCE]: 'api', ...(seenAt === undefined ? {} : { [SEEN]: timeOf(seenAt) }) };
}

export function containerConfig(
	pod: Pod,
	c: PodContainer,
	options: ContainerOptions,
	memoryCapacity: number,
	targetId: string,
): ContainerConfig {
	const { spec } = c;
	const grace = pod.spec?.terminationGracePeriodSeconds;
	const deletionGrace = pod.metadata.deletionGracePeriodSeconds;
	return {
		metadata: { name: spec.name, attempt: options.attempt },
		image: { ...imageSpec(options.imageId), userSpecifiedImage: spec.image ?? '' },
		command: [...options.command],
		args: [...options.args],
		workingDir: spec.workingDir ?? '',
		envs: options.env.map((e) => ({ key: e.name, value: Buffer.from(e.value) })),
		mounts: options.mounts.map((mount) => criMount(mount, options.sandbox.users)),
		devices: (options.devices ?? []).map(({ containerPath, hostPath, readOnly, permissions }) => ({
			containerPath,
			hostPath,
			permissions: permissions ?? (readOnly ? 'r' : 'mrw'),
		})),
		labels: { ...podLabels(pod), [CONTAINER_NAME]: spec.name },
		annotations: {
			[HASH]: containerHash(spec),
			[RESTART_COUNT]: String(options.attempt),
			'io.kubernetes.container.terminationMessagePath': spec.terminationMessagePath ?? '/dev/termination-log',
			'io.kubernetes.container.terminationMessagePolicy': spec.terminationMessagePolicy ?? 'File',
			...(grace === undefined ? {} : { 'io.kubernetes.pod.terminationGracePeriod': String(grace) }),
			...(deletionGrace === undefined ? {} : { 'io.kubernetes.pod.deletionGracePeriod': String(deletionGrace) }),
			...(spec.lifecycle?.preStop === undefined
				? {}
				: { 'io.kubernetes.container.preStopHandler': JSON.stringify(spec.lifecycle.preStop) }),
			...((spec.ports ?? []).length === 0 ? {} : { 'io.kubernetes.container.ports': JSON.stringify(spec.ports) }),
			...options.annotations,
		},
		logPath: options.logPath,
		stdin: spec.stdin ?? false,
		stdinOnce: spec.stdinOnce ?? false,
		tty: spec.tty ?? false,
		linux: {
			resources: placed(linuxResources(pod, c, memoryCapacity, options.rules), options.placement),
			securityContext: containerSecurity(pod, c, {
				...{ targetId, masked: maskedPaths(), users: options.sandbox.users },
				imageUser: options.imageUser,
			}),
		},
		windows: undefined,
		CDIDevices: (options.cdiDevices ?? []).map((name) => ({ name })),
		stopSignal: toCriSignal(spec.lifecycle?.stopSignal),
	};
}

function placed(resources: LinuxContainerResources, placement: ContainerPlacement | undefined): LinuxContainerResources {
	return placement === undefined ? resources : { ...resources, cpusetCpus: placement.cpus, cpusetMems: placement.memoryNodes };
}

export function imageSpec(image: string): ImageSpec {
	return { image, annotations: {}, userSpecifiedImage: image, runtimeHandler: '', imageRef: image };
}

function podLabels(pod: Pod): Record<string, string> {
	const { name = '', namespace = '', uid = '' } = pod.metadata;
	return { [POD_NAME]: name, [POD_NAMESPACE]: namespace, [POD_UID]: uid };
}

/** @param users of the pod: the runtime shows it the files as if they were theirs (idmapped mounts) */
function criMount(mount: Mount, users: IdRange | undefined): CriMount {
	const propagation = {
		None: MountPropagation.PROPAGATION_PRIVATE,
		HostToContainer: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
		Bidirectional: MountPropagation.PROPAGATION_BIDIRECTIONAL,
	}[mount.propagation ?? 'None'];
	return {
		containerPath: mount.containerPath,
		hostPath: mount.hostPath,
		readonly: mount.readOnly,
		selinuxRelabel: false,
		propagation,
		uidMappings: [...idMappings(users)],
		gidMappings: [...idMappings(users)],
		recursiveReadOnly: mount.recursiveReadOnly ?? false,
		image: mount.image === undefined ? undefined : imageSpec(mount.image.id),
		imageSubPath: mount.image?.subPath ?? '',
	};
}
