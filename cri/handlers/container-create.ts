/** CreateContainer: a container in its sandbox's namespaces. The answer does not wait for its log stream; StartContainer does. */
import { AppError, ignore, messageOf } from '../../base/errors.ts';
import { checkLimits } from '../../host/cgroup-limits.ts';
import { checkAppArmorLoaded } from '../app-armor.ts';
import { CDI_FOLDERS, cdiEdits } from '../cdi/registry.ts';
import { containerMounts } from '../container-mounts.ts';
import type { Context, Handler } from '../context.ts';
import { containerCreateBody } from '../convert/container-create.ts';
import { containerName } from '../convert/names.ts';
import { cgroupParentOf } from '../convert/sandbox-create.ts';
import { appArmorProfile } from '../convert/security.ts';
import { planUser } from '../convert/user.ts';
import { createContainer as create } from '../engine/containers.ts';
import type { CreateBody } from '../engine/types.ts';
import { extraLimits } from '../extra-limits.ts';
import { logPathOf } from '../logs/log-path.ts';
import { followSoon } from '../logs/follow-new.ts';
import {
	ContainerEventType,
	NamespaceMode,
	type ContainerConfig,
	type CreateContainerRequest,
	type CreateContainerResponse,
} from '../proto.ts';
import { readSeccompProfile } from '../seccomp-profile.ts';
import type { Saved } from '../state/checkpoint.ts';
import type { ContainerRecord, SandboxRecord } from '../state/records.ts';

export const createContainer: Handler<CreateContainerRequest, CreateContainerResponse> = async (context, request, signal) => {
	const { config } = request;
	if (config?.metadata === undefined) throw new AppError('InvalidArgument', 'The container has no metadata');
	const sandbox = await context.state.sandbox(request.podSandboxId);
	if (sandbox.live.state !== 'running') throw new AppError('FailedPrecondition', `Pod sandbox "${sandbox.record.id}" does not run`);
	const { record } = sandbox;
	const name = containerName(context.namePrefix, record.metadata, config.metadata);
	using _name = context.names.take(name);
	context.leftovers.check(name);
	if (context.state.containerRecords().some((c) => c.name === name))
		throw new AppError('AlreadyExists', `Container "${name}" exists already`);
	const { body, saved } = await prepare(context, record, config, name, signal).catch(async (error: unknown) => {
		await context.imageVolumes.release(name);
		throw error;
	});
	const creating = create(context.engine, name, body, signal);
	// While the engine works, but not before the request is on its way to it.
	const checkpoint = new Promise((resolve) => setImmediate(resolve)).then(() => context.checkpoint.saveContainer(saved));
	checkpoint.catch(() => {});
	try {
		const id = await creating;
		await checkpoint;
		finish(context, { ...saved, id });
		return { containerId: id };
	} catch (error) {
		await checkpoint.catch(() => {});
		await undo(context, name).catch((failure: unknown) => {
			context.log.warn('cannot undo a failed container yet', { container: name, error: messageOf(failure) });
			undoLater(context, name);
		});
		throw error;
	}
};

/** All that is decided before the engine is asked to make anything; only image volumes are mounted already. */
async function prepare(
	context: Context,
	sandbox: SandboxRecord,
	config: ContainerConfig,
	name: string,
	signal: AbortSignal,
): Promise<{ readonly body: CreateBody; readonly saved: Saved<ContainerRecord> }> {
	const reference = config.image?.image ?? '';
	if (reference === '') throw new AppError('InvalidArgument', 'The container names no image');
	const { host } = context;
	checkLimits(extraLimits(config.linux?.resources), host.cgroupVersion);
	await checkAppArmorLoaded(host.appArmor ? appArmorProfile(config.linux?.securityContext) : undefined);
	const [image, edits] = await Promise.all([
		context.imageConfigs.image(reference, signal),
		// Looked up also for an engine that makes the edits itself: it would only fail to start the container.
		cdiEdits(
			config.CDIDevices.map((d) => d.name),
			host.cdi === false ? CDI_FOLDERS : host.cdi,
		),
	]);
	const user = planUser(config.linux?.securityContext, image.Config?.User ?? '', await context.imageUsers.files(image));
	const mounts = await containerMounts(context, sandbox, config, name, signal);
	const placement = {
		sandboxId: sandbox.id,
		sandbox: sandbox.config,
		imageId: image.Id,
		user,
		instance: context.instance,
		cgroupParent: cgroupParentOf(sandbox.config, context.options.cgroupParent ?? '', host.cgroupDriver),
		runtime: sandbox.runtimeHandler === '' ? undefined : sandbox.runtimeHandler,
		...mounts,
		cdi: host.cdi === false ? edits : [],
		targetId: targetOf(context, config),
		logDriver: context.options.engineLogDriver,
	};
	const saved = {
		name,
		sandboxId: sandbox.id,
		config,
		imageId: image.Id,
		imageRef: image.RepoDigests?.[0] ?? image.Id,
		logPath: logPathOf(sandbox.config.logDirectory, config.logPath),
		createdAtMs: context.clock.now(),
		user: user.identity,
	};
	return { body: containerCreateBody(config, placement, host, readSeccompProfile), saved };
}

function finish(context: Context, record: ContainerRecord): void {
	context.state.addCreated(record);
	followSoon(context, record);
	const atNanos = BigInt(context.clock.now()) * 1_000_000n;
	context.events.emit({ containerId: record.id, sandboxId: record.sandboxId, type: ContainerEventType.CONTAINER_CREATED_EVENT, atNanos });
}

/** Takes away what there is of a container that nobody was told of. */
async function undo({ engine, checkpoint, imageVolumes }: Context, name: string): Promise<void> {
	await engine
		.call<undefined>({ method: 'DELETE', path: `/containers/${name}`, query: { force: true, v: true } })
		.catch(ignore('NotFound'));
	await imageVolumes.release(name);
	await checkpoint.removeContainer(name);
}

/** The same once more, later. */
export function undoLater(context: Context, name: string): void {
	context.leftovers.add(name, () => undo(context, name));
}

function targetOf({ state }: Context, config: ContainerConfig): string | undefined {
	const options = config.linux?.securityContext?.namespaceOptions;
	if (options?.pid !== NamespaceMode.TARGET) return undefined;
	const target = state.peekContainer(options.targetId);
	if (target === undefined) throw new AppError('NotFound', `There is no container "${options.targetId}" whose PID namespace to join`);
	return target.record.id;
}
