/** CreateContainer: a container in its sandbox's namespaces, its log stream attached before anyone can start it. */
import { mkdir, realpath } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, ignore, messageOf } from '../../base/errors.ts';
import type { Context, Handler } from '../context.ts';
import { containerCreateBody } from '../convert/container-create.ts';
import { engineMount } from '../convert/mounts.ts';
import { containerName } from '../convert/names.ts';
import { cgroupParentOf } from '../convert/sandbox-create.ts';
import { planUser } from '../convert/user.ts';
import type { CreateBody, EngineMount, ImageInspect } from '../engine/types.ts';
import {
	ContainerEventType,
	NamespaceMode,
	type ContainerConfig,
	type CreateContainerRequest,
	type CreateContainerResponse,
} from '../proto.ts';
import { sandboxFiles } from '../sandbox-files.ts';
import type { ContainerRecord, SandboxRecord } from '../state/records.ts';

export const createContainer: Handler<CreateContainerRequest, CreateContainerResponse> = async (context, request, signal) => {
	const { config } = request;
	if (config?.metadata === undefined) throw new AppError('InvalidArgument', 'The container has no metadata');
	const sandbox = await context.state.sandbox(request.podSandboxId);
	if (sandbox.live.state !== 'running') throw new AppError('FailedPrecondition', `Pod sandbox "${sandbox.record.id}" does not run`);
	const { record } = sandbox;
	const [image, mounts] = await Promise.all([findImage(context, config, signal), allMounts(context, record, config)]);
	const user = planUser(config.linux?.securityContext, image.Config?.User ?? '', await context.imageUsers.files(image));
	const name = containerName(context.namePrefix, record.metadata, config.metadata);
	using _name = context.names.take(name);
	context.leftovers.check(name);
	if (context.state.containerRecords().some((c) => c.name === name))
		throw new AppError('AlreadyExists', `Container "${name}" exists already`);
	const body = containerCreateBody(
		config,
		{
			sandboxId: record.id,
			sandbox: record.config,
			imageId: image.Id,
			user,
			instance: context.instance,
			cgroupParent: cgroupParentOf(record.config, context.options.cgroupParent ?? '', context.host.cgroupDriver),
			runtime: record.runtimeHandler === '' ? undefined : record.runtimeHandler,
			mounts,
			targetId: targetOf(context, config),
		},
		context.host,
		readProfile,
	);
	const saved = {
		name,
		sandboxId: record.id,
		config,
		imageId: image.Id,
		imageRef: image.RepoDigests?.[0] ?? image.Id,
		logPath: config.logPath === '' || record.config.logDirectory === '' ? '' : join(record.config.logDirectory, config.logPath),
		createdAtMs: context.clock.now(),
		user: user.identity,
	};
	const checkpoint = context.checkpoint.saveContainer(saved);
	checkpoint.catch(() => {});
	try {
		const id = await create(context, name, body, signal);
		await checkpoint;
		finish(context, { ...saved, id });
		return { containerId: id };
	} catch (error) {
		await checkpoint.catch(() => {});
		await undo(context, name).catch((failure: unknown) => {
			context.log.warn('cannot undo a failed container yet', { container: name, error: messageOf(failure) });
			context.leftovers.add(name, () => undo(context, name));
		});
		throw error;
	}
};

function finish(context: Context, record: ContainerRecord): void {
	context.state.addCreated(record);
	context.logs.attach(record.id, record.logPath, record.config.tty);
	const atNanos = BigInt(context.clock.now()) * 1_000_000n;
	context.events.emit({ containerId: record.id, sandboxId: record.sandboxId, type: ContainerEventType.CONTAINER_CREATED_EVENT, atNanos });
}

async function create({ engine }: Context, name: string, body: CreateBody, signal: AbortSignal): Promise<string> {
	const request = { method: 'POST', path: '/containers/create', query: { name }, body, signal } as const;
	try {
		return (await engine.call<{ Id: string }>(request)).Id;
	} catch (error) {
		if (!messageOf(error).includes('is already in use by container')) throw error;
		await engine
			.call<undefined>({ method: 'DELETE', path: `/containers/${name}`, query: { force: true, v: true } })
			.catch(ignore('NotFound'));
		return (await engine.call<{ Id: string }>(request)).Id;
	}
}

/** Takes away what there is of a container that nobody was told of. */
async function undo({ engine, checkpoint }: Context, name: string): Promise<void> {
	await engine
		.call<undefined>({ method: 'DELETE', path: `/containers/${name}`, query: { force: true, v: true } })
		.catch(ignore('NotFound'));
	await checkpoint.remove(name);
}

async function findImage({ engine }: Context, config: ContainerConfig, signal: AbortSignal): Promise<ImageInspect> {
	const image = config.image?.image ?? '';
	if (image === '') throw new AppError('InvalidArgument', 'The container names no image');
	return engine.call<ImageInspect>({ method: 'GET', path: `/images/${image}/json`, signal });
}

/** The config's mounts, and resolv.conf and hosts of the pod unless the config brings its own. What is missing on the host is made. */
async function allMounts({ host, options }: Context, sandbox: SandboxRecord, config: ContainerConfig): Promise<readonly EngineMount[]> {
	const given = await Promise.all(
		config.mounts.map(async (mount) => {
			if (mount.image !== undefined) return engineMount(mount, '', host);
			const source = await realpath(mount.hostPath).catch(async () => {
				await mkdir(mount.hostPath, { recursive: true });
				return realpath(mount.hostPath);
			});
			return engineMount(mount, source, host);
		}),
	);
	const taken = new Set(given.map((m) => m.Target));
	const { resolvConf, hosts } = sandboxFiles(options.dataDir, sandbox.name);
	const own = (
		[
			[resolvConf, '/etc/resolv.conf'],
			[hosts, '/etc/hosts'],
		] as const
	)
		.filter(([, target]) => !taken.has(target))
		.map(
			([source, target]): EngineMount => ({
				Type: 'bind',
				Source: source,
				Target: target,
				...(config.linux?.securityContext?.readonlyRootfs ? { ReadOnly: true } : {}),
			}),
		);
	return [...given, ...own];
}

function targetOf({ state }: Context, config: ContainerConfig): string | undefined {
	const options = config.linux?.securityContext?.namespaceOptions;
	if (options?.pid !== NamespaceMode.TARGET) return undefined;
	const target = state.peekContainer(options.targetId);
	if (target === undefined) throw new AppError('NotFound', `There is no container "${options.targetId}" whose PID namespace to join`);
	return target.record.id;
}

/** The engine's API takes the profile's text, not its path. */
function readProfile(path: string): string {
	try {
		return JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the seccomp profile "${path}": ${messageOf(cause)}`, { cause });
	}
}
