/** A CRI sandbox configuration as the engine's create body: a pause container without any engine network. */
import { AppError } from '../../base/errors.ts';
import { NamespaceMode, type PodSandboxConfig, type UserNamespace } from '../proto.ts';
import type { CreateBody } from '../engine/types.ts';
import { ENGINE_NETWORK, enginePorts } from '../network/engine-network.ts';
import type { HostAbilities } from '../host-abilities.ts';
import { podLabels } from './labels.ts';
import { clampOomScoreAdj } from './resources.ts';
import { type ReadProfile, seccomp, selinux } from './security.ts';

/** What upstream's runtimes give the pause process, so that it outlives every container of its pod. */
const SANDBOX_OOM_SCORE_ADJ = -998;

export interface SandboxPlacement {
	readonly image: string;
	readonly instance: string;
	readonly cgroupParent: string;
	readonly runtime: string | undefined;
	/** The engine connects the pod to a network of its own; else it gives it none. */
	readonly engineNetwork: boolean;
}

export function isHostNetwork(config: PodSandboxConfig): boolean {
	return config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
}

/** Pure but for `readProfile`. */
export function sandboxCreateBody(
	config: PodSandboxConfig,
	placement: SandboxPlacement,
	host: HostAbilities,
	readProfile: ReadProfile,
): CreateBody {
	const namespaces = config.linux?.securityContext?.namespaceOptions;
	const hostNetwork = isHostNetwork(config);
	const sysctls = config.linux?.sysctls ?? {};
	checkUserNamespace(namespaces?.usernsOptions);
	const ports = placement.engineNetwork && !hostNetwork ? enginePorts(config.portMappings) : undefined;
	const user = config.linux?.securityContext?.runAsUser?.value;
	const group = config.linux?.securityContext?.runAsGroup?.value;
	return {
		Image: placement.image,
		...(hostNetwork || config.hostname === '' ? {} : { Hostname: config.hostname }),
		...(user === undefined ? {} : { User: group === undefined ? `${user}` : `${user}:${group}` }),
		Labels: podLabels(config.metadata, placement.instance, 'POD'),
		...(hostNetwork || placement.engineNetwork ? {} : { NetworkDisabled: true }),
		...(ports === undefined ? {} : { ExposedPorts: ports.ExposedPorts }),
		HostConfig: {
			...(hostNetwork ? { NetworkMode: 'host', UTSMode: 'host' } : {}),
			...(ports === undefined ? {} : { NetworkMode: ENGINE_NETWORK, PortBindings: ports.PortBindings }),
			IpcMode: namespaces?.ipc === NamespaceMode.NODE ? 'host' : 'shareable',
			...(namespaces?.pid === NamespaceMode.NODE ? { PidMode: 'host' } : {}),
			CgroupParent: placement.cgroupParent,
			...(placement.runtime === undefined ? {} : { Runtime: placement.runtime }),
			SecurityOpt: securityOpt(config, host, readProfile),
			ReadonlyRootfs: true,
			...(Object.keys(sysctls).length === 0 ? {} : { Sysctls: sysctls }),
			OomScoreAdj: clampOomScoreAdj(SANDBOX_OOM_SCORE_ADJ, host),
			CpuShares: 2,
			LogConfig: { Type: 'none' },
		},
	};
}

/** No Docker Engine has user namespaces by container; what is wrong for any runtime is said to be wrong. */
function checkUserNamespace(options: UserNamespace | undefined): void {
	if (options === undefined || options.mode === NamespaceMode.NODE) return;
	if (options.mode !== NamespaceMode.POD) throw new AppError('InvalidArgument', 'A pod has a user namespace of its own or of the node');
	if (options.uids.length > 0 || options.gids.length > 0)
		throw new AppError('Unimplemented', 'Cannot give the pod a user namespace: Docker Engine has none by container');
}

/**
 * The label is the pod's: containers that join the sandbox's IPC namespace get its label from the engine. The pause process forbids itself all but three
 * system calls before anybody can be with it, so that of the engine's profile, which forbids less, no runtime has to make a filter. A file's is as asked.
 */
function securityOpt({ linux }: PodSandboxConfig, host: HostAbilities, readProfile: ReadProfile): readonly string[] {
	const context = linux?.securityContext;
	const [asked = 'seccomp=unconfined'] = seccomp(context?.seccomp, context?.seccompProfilePath ?? '', readProfile);
	return [...selinux(context?.selinuxOptions, host), asked];
}

/** The engine's CgroupParent: the systemd driver wants a slice's name, not a path. Pure. */
export function cgroupParentOf(config: PodSandboxConfig | undefined, fallback: string, driver: HostAbilities['cgroupDriver']): string {
	const parent = config?.linux?.cgroupParent || fallback;
	return driver === 'systemd' ? (parent.split('/').findLast((p) => p.endsWith('.slice')) ?? '') : parent;
}
