/** RunPodSandbox: the pause container and the pod's network. What can run beside the engine's calls does. */
import { mkdirSync } from 'node:fs';
import { AppError, ignore, messageOf } from '../../base/errors.ts';
import type { Context, Handler } from '../context.ts';
import { sandboxName } from '../convert/names.ts';
import { cgroupParentOf, isHostNetwork, sandboxCreateBody } from '../convert/sandbox-create.ts';
import { engineIps } from '../network/engine-network.ts';
import { type StartedPause, startPause } from '../pause/start.ts';
import { ContainerEventType, type RunPodSandboxRequest, type RunPodSandboxResponse } from '../proto.ts';
import { removeSandboxFiles, writeSandboxFiles } from '../sandbox-files.ts';
import { readSeccompProfile } from '../seccomp-profile.ts';
import type { SandboxRecord } from '../state/records.ts';

export const runPodSandbox: Handler<RunPodSandboxRequest, RunPodSandboxResponse> = async (context, { config, runtimeHandler }, signal) => {
	if (config?.metadata === undefined) throw new AppError('InvalidArgument', 'The sandbox has no metadata');
	const { host, options, network, clock, namePrefix, checkpoint } = context;
	const runtime = runtimeOf(runtimeHandler, host.runtimes);
	const name = sandboxName(namePrefix, config.metadata);
	using _name = context.names.take(name);
	context.leftovers.check(name);
	if (context.state.sandboxRecords().some((s) => s.name === name))
		throw new AppError('AlreadyExists', `Pod sandbox "${name}" exists already`);
	const address = isHostNetwork(config) ? undefined : await network.reserve({ name, config });
	const saved = { name, config, metadata: config.metadata, runtimeHandler, createdAtMs: clock.now(), address };
	const write = async (): Promise<void> => {
		await checkpoint.saveSandbox(saved);
		writeSandboxFiles(options.dataDir, name, config, address?.ips);
		if (config.logDirectory !== '') mkdirSync(config.logDirectory, { recursive: true });
	};
	// While the engine works, but not before the request is on its way to it.
	const files = new Promise((resolve) => setImmediate(resolve)).then(write);
	files.catch(() => {});
	let id: string | undefined;
	try {
		const placement = {
			image: context.pauseImage,
			instance: context.instance,
			cgroupParent: cgroupParentOf(config, options.cgroupParent ?? '', host.cgroupDriver),
			runtime,
			engineNetwork: address?.kind === 'engine',
		};
		const body = sandboxCreateBody(config, placement, host, readSeccompProfile);
		const started = await startPause(context, name, body, signal);
		id = started.id;
		const record = await connect(context, { ...saved, id }, started);
		await files;
		if (record.address !== address) {
			await checkpoint.saveSandbox(record);
			writeSandboxFiles(options.dataDir, name, config, record.address?.ips);
		}
		checkpoint.confirmSandbox(name);
		const atNanos = BigInt(clock.now()) * 1_000_000n;
		if (started.inspect === undefined) context.state.addStarted(record, started.pid, atNanos);
		else context.state.addSandbox(record, started.inspect);
		for (const type of [ContainerEventType.CONTAINER_CREATED_EVENT, ContainerEventType.CONTAINER_STARTED_EVENT])
			context.events.emit({ containerId: id, sandboxId: id, type, atNanos });
		return { podSandboxId: id };
	} catch (error) {
		await files.catch(() => {});
		await undoSandbox(context, { ...saved, id: id ?? name }).catch((failure: unknown) => {
			context.log.warn('cannot undo a failed sandbox yet', { sandbox: name, error: messageOf(failure) });
			removeLater(context, { ...saved, id: id ?? name });
		});
		throw error;
	}
};

/** The record with the place that the network gave it. */
async function connect({ network }: Context, record: SandboxRecord, { pid, inspect }: StartedPause): Promise<SandboxRecord> {
	if (record.address === undefined) return record;
	const given = inspect === undefined ? [] : engineIps(inspect);
	const address = await network.attach(record, { pid, engineIps: given }, record.address);
	return address === record.address ? record : { ...record, address };
}

/** Takes away what there is of a sandbox that nobody was told of. */
async function undoSandbox({ engine, network, checkpoint, options }: Context, record: SandboxRecord): Promise<void> {
	const { id, name } = record;
	await network.release(record, async () => {
		await engine
			.call<undefined>({ method: 'DELETE', path: `/containers/${id}`, query: { force: true, v: true } })
			.catch(ignore('NotFound'));
	});
	await Promise.all([checkpoint.removeSandbox(name), removeSandboxFiles(options.dataDir, name)]);
}

/** The same once more, later. */
export function removeLater(context: Context, record: SandboxRecord): void {
	context.leftovers.add(record.name, () => undoSandbox(context, record));
}

function runtimeOf(handler: string, known: readonly string[]): string | undefined {
	if (handler === '') return undefined;
	if (!known.includes(handler))
		throw new AppError('NotFound', `There is no runtime handler "${handler}"; the engine has ${known.join(', ')}`);
	return handler;
}
