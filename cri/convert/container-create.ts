/** A CRI container configuration as the engine's create body: it joins the namespaces of its sandbox. */
import { AppError } from '../../base/errors.ts';
import { NamespaceMode, type ContainerConfig, type PodSandboxConfig } from '../proto.ts';
import type { CreateBody, EngineMount, HostConfig } from '../engine/types.ts';
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
	/** The engine id of the container that namespace mode TARGET names. */
	readonly targetId: string | undefined;
}

/** The engine's own copy of a log only bridges the time while no shim is attached; CRI's file is the log. */
const ENGINE_LOG = { Type: 'json-file', Config: { 'max-size': '16m', 'max-file': '2' } } as const;

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
	if (config.CDIDevices.length > 0)
		throw new AppError('Unimplemented', `Cannot give the container CDI device "${config.CDIDevices[0]?.name}": the engine has none`);
	return {
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
			...(placement.runtime === undefined ? {} : { Runtime: placement.runtime }),
			...hostResources(config.linux?.resources, host),
			...hostSecurity(context, host, readProfile),
			...(user.groupAdd.length === 0 ? {} : { GroupAdd: user.groupAdd }),
			...(placement.mounts.length === 0 ? {} : { Mounts: placement.mounts }),
			Devices: config.devices.map((d) => ({
				PathOnHost: d.hostPath,
				PathInContainer: d.containerPath,
				CgroupPermissions: d.permissions || 'rwm',
			})),
			LogConfig: ENGINE_LOG,
		},
	};
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
