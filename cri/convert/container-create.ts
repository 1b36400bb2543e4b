/** A CRI container configuration as the engine's create body: it joins the namespaces of its sandbox. */
import { NamespaceMode, type ContainerConfig, type PodSandboxConfig } from '../proto.ts';
import type { CreateBody, EngineMount, HostConfig } from '../engine/types.ts';
import { applyCdi } from '../cdi/apply.ts';
import type { CdiEdits } from '../cdi/spec.ts';
import type { HostAbilities } from '../host-abilities.ts';
import { podLabels } from './labels.ts';
import { hostResources } from './resources.ts';
import { isHostNetwork } from './sandbox-create.ts';
import { hostSecurity, type ReadProfile } from './security.ts';
import { engineSignal } from './signals.ts';
import type { UserPlan } from './user.ts';

export interface ContainerPlacement {
	readonly sandboxId: string;
	readonly sandbox: PodSandboxConfig;
	readonly imageId: string;
	readonly user: UserPlan;
	readonly instance: string;
	readonly cgroupParent: string;
	readonly runtime: string | undefined;
	/** The config's mounts and the pod's own files, ready for the engine. */
	readonly mounts: readonly EngineMount[];
	readonly binds: readonly string[];
	/** What CDI devices change, where the engine does not know CDI itself. */
	readonly cdi: readonly CdiEdits[];
	/** The engine's log driver; json-file unless told. */
	readonly logDriver?: string | undefined;
	/** The engine id of the container that namespace mode TARGET names. */
	readonly targetId: string | undefined;
}

/** The engine's own copy of a log only bridges the time while no shim is attached; CRI's file is the log. */
function engineLog(driver = 'json-file'): NonNullable<HostConfig['LogConfig']> {
	return { Type: driver, ...(BOUNDED.includes(driver) ? { Config: { 'max-size': '16m', 'max-file': '2' } } : {}) };
}

/** Drivers that keep files of their own; others are bounded by whatever they write to. */
const BOUNDED = ['json-file', 'local'];

/**
 * Names the container whose containerd shim is to run this one, too: one process a pod, as under containerd's own CRI server, instead of one a container.
 * A shim without a name to go by has its own container's.
 */
const SHIM_GROUP = 'io.containerd.runc.v2.group';

/** Pure but for `readProfile`. */
export function containerCreateBody(
	config: ContainerConfig,
	placement: ContainerPlacement,
	host: HostAbilities,
	readProfile: ReadProfile,
): CreateBody {
	const { sandbox, sandboxId, user } = placement;
	const context = config.linux?.securityContext;
	const signal = engineSignal(config.stopSignal);
	const body: CreateBody = {
		Image: placement.imageId,
		...(user.user === '' ? {} : { User: user.user }),
		Env: config.envs.map((e) => `${e.key}=${Buffer.from(e.value).toString('utf8')}`),
		...(config.command.length === 0 ? {} : { Entrypoint: config.command }),
		...(config.args.length === 0 ? {} : { Cmd: config.args }),
		...(config.workingDir === '' ? {} : { WorkingDir: config.workingDir }),
		Labels: podLabels(sandbox.metadata, placement.instance, config.metadata?.name ?? ''),
		Tty: config.tty,
		OpenStdin: config.stdin,
		StdinOnce: config.stdinOnce,
		...(signal === undefined ? {} : { StopSignal: signal }),
		Healthcheck: { Test: ['NONE'] },
		HostConfig: {
			...namespaces(config, sandbox, sandboxId, placement.targetId),
			CgroupParent: placement.cgroupParent,
			...(host.annotations ? { Annotations: { [SHIM_GROUP]: sandboxId } } : {}),
			...(placement.runtime === undefined ? {} : { Runtime: placement.runtime }),
			...hostResources(config.linux?.resources, host),
			...hostSecurity(context, host, readProfile),
			...(user.groupAdd.length === 0 ? {} : { GroupAdd: user.groupAdd }),
			...(placement.mounts.length === 0 ? {} : { Mounts: placement.mounts }),
			...(placement.binds.length === 0 ? {} : { Binds: placement.binds }),
			...(host.cdi !== false && config.CDIDevices.length > 0
				? { DeviceRequests: [{ Driver: 'cdi', DeviceIDs: config.CDIDevices.map((d) => d.name) }] }
				: {}),
			Devices: config.devices.map((d) => ({
				PathOnHost: d.hostPath,
				PathInContainer: d.containerPath,
				CgroupPermissions: d.permissions || 'rwm',
			})),
			LogConfig: engineLog(placement.logDriver),
		},
	};
	return placement.cdi.length === 0 ? body : applyCdi(body, placement.cdi);
}

function namespaces(
	config: ContainerConfig,
	sandbox: PodSandboxConfig,
	sandboxId: string,
	targetId: string | undefined,
): Pick<HostConfig, 'NetworkMode' | 'IpcMode' | 'PidMode' | 'UTSMode'> {
	const wanted = config.linux?.securityContext?.namespaceOptions ?? sandbox.linux?.securityContext?.namespaceOptions;
	const hostNetwork = isHostNetwork(sandbox);
	return {
		NetworkMode: hostNetwork ? 'host' : `container:${sandboxId}`,
		...(hostNetwork ? { UTSMode: 'host' } : {}),
		IpcMode: wanted?.ipc === NamespaceMode.NODE ? 'host' : `container:${sandboxId}`,
		...pidMode(wanted?.pid ?? NamespaceMode.POD, sandboxId, targetId), // CRI's default; kubelets always say which
	};
}

function pidMode(mode: NamespaceMode, sandboxId: string, targetId: string | undefined): { PidMode?: string } {
	switch (mode) {
		case NamespaceMode.POD:
			return { PidMode: `container:${sandboxId}` };
		case NamespaceMode.NODE:
			return { PidMode: 'host' };
		case NamespaceMode.TARGET:
			return { PidMode: `container:${targetId}` };
		case NamespaceMode.CONTAINER:
		case NamespaceMode.UNRECOGNIZED:
			return {};
	}
}
