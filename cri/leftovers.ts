/** What a shim leaves behind on purpose when it stops, and how it is stopped or removed: for `down`, when no shim runs. */
import { join } from 'node:path';
import { ignore } from '../base/errors.ts';
import { readState } from '../base/files.ts';
import { namePrefix } from './convert/names.ts';
import { connectEngine, type Engine } from './engine/engine.ts';
import type { ContainerSummary } from './engine/types.ts';
import { bridgeName } from './network/bridge.ts';
import { runCommand } from './network/command.ts';
import { jumps } from './network/rules.ts';

export interface LeftoverOptions {
	readonly dockerHost: string;
	/** The shim's data folder. */
	readonly dataDir: string;
	readonly clusterName: string;
}

/** Grace for containers that `down` stops. */
const STOP_SECONDS = 5;

/** Stops every container of the instance, workloads before their sandboxes. Resolves with how many ran. */
export async function stopLeftovers(options: LeftoverOptions): Promise<number> {
	const instance = await instanceOf(options.dataDir);
	if (instance === undefined) return 0;
	const engine = await connectEngine(options.dockerHost);
	const running = await containersOf(engine, options.clusterName, instance, false);
	const isSandbox = (c: ContainerSummary): boolean => c.Names.some((name) => name.includes('_POD_'));
	const stop = (c: ContainerSummary): Promise<unknown> =>
		engine.call({ method: 'POST', path: `/containers/${c.Id}/stop`, query: { t: STOP_SECONDS } }).catch(ignore('NotFound'));
	await Promise.all(running.filter((c) => !isSandbox(c)).map(stop));
	await Promise.all(running.filter(isSandbox).map(stop));
	return running.length;
}

/** Removes every container, the bridge and the packet filter rules of the instance. Gone already is success. */
export async function removeLeftovers(options: LeftoverOptions): Promise<void> {
	const instance = await instanceOf(options.dataDir);
	if (instance === undefined) return;
	const engine = await connectEngine(options.dockerHost);
	const all = await containersOf(engine, options.clusterName, instance, true);
	await Promise.all(
		all.map((c) =>
			engine.call({ method: 'DELETE', path: `/containers/${c.Id}`, query: { force: true, v: true } }).catch(ignore('NotFound', 'Aborted')),
		),
	);
	const bridge = bridgeName(options.clusterName, instance);
	const names = { bridge, subnet: '', gateway: '', chain: `KUBELING-${bridge.slice('kl-'.length)}` };
	for (const { table, from, rule } of jumps(names))
		await runCommand('iptables', ['-w', '-t', table, '-D', from, ...rule]).catch(ignore('Internal', 'Unavailable'));
	for (const [table, suffix] of [
		['filter', 'FWD'],
		['filter', 'IN'],
		['nat', 'HP'],
		['nat', 'POST'],
	] as const)
		for (const action of ['-F', '-X'])
			await runCommand('iptables', ['-w', '-t', table, action, `${names.chain}-${suffix}`]).catch(ignore('Internal', 'Unavailable'));
	await runCommand('ip', ['link', 'delete', bridge]).catch(ignore('Internal', 'Unavailable'));
}

async function instanceOf(dataDir: string): Promise<string | undefined> {
	return (await readState<{ instance: string }>(join(dataDir, 'instance.json'), 1))?.instance;
}

async function containersOf(engine: Engine, clusterName: string, instance: string, all: boolean): Promise<readonly ContainerSummary[]> {
	const prefix = `/${namePrefix(clusterName, instance)}`;
	const found = await engine.call<readonly ContainerSummary[]>({ method: 'GET', path: '/containers/json', query: { all } });
	return found.filter((c) => c.Names.some((name) => name.startsWith(prefix)));
}
