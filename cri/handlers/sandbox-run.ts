/** RunPodSandbox: the pause container and the pod's network. What can run beside the engine's calls does. */
import { AppError, ignore, messageOf } from '../../base/errors.ts';
import type { Context, Handler } from '../context.ts';
import { sandboxName } from '../convert/names.ts';
import { cgroupParentOf, isHostNetwork, sandboxCreateBody } from '../convert/sandbox-create.ts';
import type { ContainerInspect, CreateBody } from '../engine/types.ts';
import { ContainerEventType, type PodSandboxConfig, type RunPodSandboxRequest, type RunPodSandboxResponse } from '../proto.ts';
import { removeSandboxFiles, writeSandboxFiles } from '../sandbox-files.ts';
import type { PodAddress, SandboxRecord } from '../state/records.ts';
import { mkdir } from 'node:fs/promises';

export const runPodSandbox: Handler<RunPodSandboxRequest, RunPodSandboxResponse> = async (context, { config, runtimeHandler }, signal) => {
	if (config?.metadata === undefined) throw new AppError('InvalidArgument', 'The sandbox has no metadata');
	const { host, options, network, clock, namePrefix, checkpoint } = context;
	const runtime = runtimeOf(runtimeHandler, host.runtimes);
	const name = sandboxName(namePrefix, config.metadata);
	const body = sandboxCreateBody(
		config,
		{
			image: context.pauseImage,
			instance: context.instance,
			cgroupParent: cgroupParentOf(config, options.cgroupParent ?? '', host.cgroupDriver),
			runtime,
		},
		host,
	);
	const address = isHostNetwork(config) ? undefined : network.reserve();
	const saved = { name, config, metadata: config.metadata, runtimeHandler, createdAtMs: clock.now(), address };
	const files = Promise.all([
		checkpoint.saveSandbox(saved),
		writeSandboxFiles(options.dataDir, name, config, address?.ip),
		config.logDirectory === '' ? undefined : mkdir(config.logDirectory, { recursive: true }),
	]);
	files.catch(() => {});
	let id: string | undefined;
	try {
		id = await create(context, name, body, signal);
		await context.engine.call<undefined>({ method: 'POST', path: `/containers/${id}/start`, signal });
		const inspect = await connect(context, id, address, config, signal);
		await files;
		const record: SandboxRecord = { ...saved, id };
		context.state.addSandbox(record, inspect);
		const atNanos = BigInt(clock.now()) * 1_000_000n;
		for (const type of [ContainerEventType.CONTAINER_CREATED_EVENT, ContainerEventType.CONTAINER_STARTED_EVENT])
			context.events.emit({ containerId: id, sandboxId: id, type, atNanos });
		return { podSandboxId: id };
	} catch (error) {
		await files.catch(() => {});
		await undo(context, id ?? name, name, address);
		throw error;
	}
};

/** The engine may still have the name from a run that never was acknowledged: that one goes. */
async function create(context: Context, name: string, body: CreateBody, signal: AbortSignal): Promise<string> {
	const request = { method: 'POST', path: '/containers/create', query: { name }, body, signal } as const;
	try {
		return (await context.engine.call<{ Id: string }>(request)).Id;
	} catch (error) {
		if (!messageOf(error).includes('is already in use by container')) throw error;
		if (context.state.sandboxRecords().some((s) => s.name === name))
			throw new AppError('AlreadyExists', `Pod sandbox "${name}" exists already`, { cause: error });
		await context.engine
			.call<undefined>({ method: 'DELETE', path: `/containers/${name}`, query: { force: true, v: true } })
			.catch(ignore('NotFound'));
		return (await context.engine.call<{ Id: string }>(request)).Id;
	}
}

async function connect(
	context: Context,
	id: string,
	address: PodAddress | undefined,
	config: PodSandboxConfig,
	signal: AbortSignal,
): Promise<ContainerInspect> {
	const inspect = await context.engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${id}/json`, signal });
	if (!inspect.State.Running)
		throw new AppError(
			'Internal',
			`The pause container of the sandbox ended at once: ${inspect.State.Error || `exit code ${inspect.State.ExitCode}`}`,
		);
	if (address !== undefined) await context.network.attach(inspect.State.Pid, address, config.portMappings);
	return inspect;
}

async function undo(
	{ engine, network, checkpoint, options, log }: Context,
	idOrName: string,
	name: string,
	address: PodAddress | undefined,
): Promise<void> {
	const steps = await Promise.allSettled([
		engine
			.call<undefined>({ method: 'DELETE', path: `/containers/${idOrName}`, query: { force: true, v: true } })
			.catch(ignore('NotFound')),
		address === undefined ? undefined : network.detach(address),
		checkpoint.remove(name),
		removeSandboxFiles(options.dataDir, name),
	]);
	for (const step of steps)
		if (step.status === 'rejected') log.warn('cannot undo a failed sandbox', { sandbox: name, error: messageOf(step.reason) });
}

function runtimeOf(handler: string, known: readonly string[]): string | undefined {
	if (handler === '') return undefined;
	if (!known.includes(handler))
		throw new AppError('NotFound', `There is no runtime handler "${handler}"; the engine has ${known.join(', ')}`);
	return handler;
}
