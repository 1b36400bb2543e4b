/** The start of a shim: what the engine and the checkpoints say is compared, and everything that never was acknowledged goes. */
import { rm } from 'node:fs/promises';
import { ignore, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Engine } from './engine/engine.ts';
import type { ContainerInspect, ContainerSummary } from './engine/types.ts';
import type { KnownPod } from './network/pod-network.ts';
import { removeOtherSandboxFiles, removeSandboxFiles } from './sandbox-files.ts';
import type { BrokenRecord, Checkpoint } from './state/checkpoint.ts';
import type { SandboxRecord } from './state/records.ts';
import type { RuntimeState } from './state/state.ts';

interface Deps {
	readonly engine: Engine;
	readonly checkpoint: Checkpoint;
	readonly state: RuntimeState;
	readonly namePrefix: string;
	readonly dataDir: string;
	readonly log: Log;
}

export interface Restored {
	/** Sandboxes that have a place on a pod network, unfinished ones too. */
	readonly pods: readonly KnownPod[];
	/** Sandboxes whose creation a crash interrupted: what of them is there has to go. */
	readonly unfinished: readonly SandboxRecord[];
	/** Names of containers without a record that the engine did not remove yet. */
	readonly unremoved: readonly string[];
}

/** Fills the state. */
export async function restore({ engine, checkpoint, state, namePrefix, dataDir, log }: Deps): Promise<Restored> {
	const [saved, found] = await Promise.all([checkpoint.load(), ownContainers(engine, namePrefix)]);
	await dropBroken(saved.broken, found, { checkpoint, log });
	await removeOtherSandboxFiles(
		dataDir,
		[...saved.sandboxes, ...saved.unfinished].map(({ name }) => name),
	);
	const pods: KnownPod[] = [];
	const known = new Set<string>();
	const unfinished = saved.unfinished.map((sandbox) => {
		const inspect = found.get(sandbox.name);
		const { address } = sandbox;
		const pid = inspect?.State.Running ? inspect.State.Pid : undefined;
		const record = { ...sandbox, id: inspect?.Id ?? sandbox.name };
		known.add(sandbox.name);
		if (address !== undefined) pods.push({ ...record, address, pid });
		return record;
	});
	for (const sandbox of saved.sandboxes) {
		const inspect = found.get(sandbox.name);
		if (inspect === undefined) {
			await Promise.all([checkpoint.removeSandbox(sandbox.name), removeSandboxFiles(dataDir, sandbox.name)]);
			continue;
		}
		known.add(sandbox.name);
		state.addSandbox({ ...sandbox, id: inspect.Id }, inspect);
		const { address } = sandbox;
		if (address !== undefined)
			pods.push({ ...sandbox, id: inspect.Id, address, pid: inspect.State.Running ? inspect.State.Pid : undefined });
	}
	for (const container of saved.containers) {
		const inspect = found.get(container.name);
		if (inspect === undefined) {
			await checkpoint.removeContainer(container.name);
			continue;
		}
		known.add(container.name);
		state.addContainer({ ...container, id: inspect.Id }, inspect);
	}
	const unremoved: string[] = [];
	await Promise.all(
		[...found].map(async ([name, { Id }]) => {
			if (known.has(name)) return;
			log.warn('removing a container that has no record: its creation was never acknowledged', { container: name });
			await engine
				.call<undefined>({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: true } })
				.catch((error: unknown) => {
					log.warn('cannot remove it yet', { container: name, error: messageOf(error) });
					unremoved.push(name);
				});
		}),
	);
	return { pods, unfinished, unremoved };
}

/** What has lost its record goes, so it must not run: throws where it does. */
async function dropBroken(
	broken: readonly BrokenRecord[],
	found: ReadonlyMap<string, ContainerInspect>,
	{ checkpoint, log }: Pick<Deps, 'checkpoint' | 'log'>,
): Promise<void> {
	const running = new Set([...found].flatMap(([name, { State }]) => (State.Running ? checkpoint.pathsOf(name) : [])));
	for (const { path, error } of broken) {
		if (running.has(path)) throw error;
		log.warn('dropping a record that cannot be read; its container does not run', { path, error: error.message });
		await rm(path);
	}
}

/** All containers whose engine name is of this shim, by name. */
export async function ownContainers(engine: Engine, namePrefix: string): Promise<ReadonlyMap<string, ContainerInspect>> {
	const filters = JSON.stringify({ name: [`^/?${namePrefix.replaceAll('.', '\\.')}`] });
	const list = await engine.call<readonly ContainerSummary[]>({ method: 'GET', path: '/containers/json', query: { all: true, filters } });
	const own = list.flatMap((c) => c.Names.filter((n) => n.startsWith(`/${namePrefix}`)).map((n) => ({ id: c.Id, name: n.slice(1) })));
	const inspected = await Promise.all(
		own.map(
			async ({ id, name }) =>
				[name, await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${id}/json` }).catch(ignore('NotFound'))] as const,
		),
	);
	return new Map(inspected.flatMap(([name, inspect]) => (inspect === undefined ? [] : [[name, inspect] as const])));
}
