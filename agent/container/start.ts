/** Makes and starts one container. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { expand } from '../pod/expansion.ts';
import { podLogFolder } from '../pod/folders.ts';
import type { StartAction } from '../pod/plan.ts';
import { handlerFeatures } from '../pod/runtime-handler.ts';
import { failingAs } from '../pod/start-failure.ts';
import { uidOf } from '../pod/uid.ts';
import type { ContainerOptions, ImageInfo, SandboxOptions } from '../runtime/runtime.ts';
import { placementOf } from '../topology/of-agent.ts';
import type { VolumePaths } from '../volume/volumes.ts';
import { environment } from './environment.ts';
import { linkLog, logLinkName } from './log-link.ts';
import { devicesOf } from './devices.ts';
import { mountsOf } from './mounts.ts';
import { checkNonRoot } from './non-root.ts';
import { withSeccomp } from './seccomp.ts';

export interface ContainerInput {
	readonly pod: Pod;
	readonly action: StartAction;
	readonly image: ImageInfo;
	readonly sandboxId: string;
	readonly sandbox: SandboxOptions;
	readonly podIps: readonly string[];
	readonly volumes: VolumePaths;
	/** Of an ephemeral container: whom it joins. */
	readonly targetId: string;
}

/** The new container's id. StartFailure says why not. */
export async function createContainer(input: ContainerInput, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { pod, action, image, sandboxId, sandbox, volumes } = input;
	const { container, attempt } = action;
	const { spec } = container;
	const told = withSeccomp(pod, {
		folder: join(context.options.rootDir, 'seccomp'),
		byDefault: settingsIn(context.options).node.seccompDefault,
	});
	const failed = (error: unknown): never => {
		if (!signal.aborted) podEvent(context, pod, 'Warning', 'Failed', `Error: ${messageOf(error)}`, container);
		throw error;
	};
	const prepared = await failingAs(
		'CreateContainerConfigError',
		async () => {
			checkNonRoot(pod, spec, image);
			const env = await environment(pod, spec, input.podIps, volumes, context, signal);
			const values = new Map(env.map((e) => [e.name, e.value]));
			const expanded = (text: string): string => expand(text, (name) => values.get(name));
			const { recursiveReadOnlyMounts = false } = handlerFeatures(sandbox.runtimeHandler, context);
			const mounts = await mountsOf(pod, spec, attempt, volumes, values, recursiveReadOnlyMounts, context);
			const given = await context.placed.devices.starting(pod, spec, signal);
			return {
				// Of two that say the same the last counts: the pod's own.
				env: [...given.env, ...env],
				mounts: [...given.mounts, ...mounts],
				devices: [...devicesOf(spec, volumes), ...given.devices],
				annotations: given.annotations,
				cdiDevices: [...given.cdi, ...context.dra.claims.cdiOf(pod, spec)],
				command: (spec.command ?? []).map(expanded),
				args: (spec.args ?? []).map(expanded),
			};
		},
		signal,
	).catch(failed);
	const logPath = join(spec.name, `${attempt}.log`);
	const options = {
		...prepared,
		attempt,
		imageId: image.id,
		imageUser: { uid: image.uid, username: image.username },
		logPath,
		sandbox,
		targetId: input.targetId,
		...placementFor(pod, spec.name, context),
	};
	const id = await failingAs(
		'CreateContainerError',
		() => context.runtime.createContainer(sandboxId, told, spec.name, options, signal),
		signal,
	).catch(failed);
	context.resizes.setActuated(pod, spec.name, spec.resources ?? {});
	podEvent(context, pod, 'Normal', 'Created', 'Container created', container);
	return id;
}

/** Who has processors alone needs no limit of their time. */
function placementFor(pod: Pod, name: string, { placed, resourceRules }: AgentContext): Pick<ContainerOptions, 'rules' | 'placement'> {
	const placement = placementOf(placed, uidOf(pod), name);
	if (placement === undefined) return { rules: resourceRules };
	const alone = (placed.cpus?.exclusive(uidOf(pod), name).length ?? 0) > 0;
	return { rules: { ...resourceRules, cpuQuota: resourceRules.cpuQuota && !alone }, placement };
}

export async function startContainer(pod: Pod, action: StartAction, id: string, context: AgentContext, signal: AbortSignal): Promise<void> {
	await failingAs('RunContainerError', () => context.runtime.startContainer(id, signal), signal).catch((error: unknown) => {
		// Each attempt has an id of its own, and events that differ do not add up.
		const message = messageOf(error).replaceAll(id, action.container.spec.name);
		if (!signal.aborted) podEvent(context, pod, 'Warning', 'Failed', `Error: ${message}`, action.container);
		throw error;
	});
	podEvent(context, pod, 'Normal', 'Started', 'Container started', action.container);
	const { containerLogsDir: links, podLogsDir } = context.options;
	if (links === undefined) return;
	const { name } = action.container.spec;
	const log = join(podLogFolder(podLogsDir, pod), name, `${action.attempt}.log`);
	await linkLog(links, logLinkName(pod, name, id), log).catch((error: unknown) =>
		context.log.warn('cannot link a log', { container: name, reason: messageOf(error) }),
	);
}

/** Replaces the content of the hosts file, keeping the file: it is mounted. */
export async function writeHosts(path: string, text: string): Promise<void> {
	await writeFile(path, text, { mode: 0o644 });
}
