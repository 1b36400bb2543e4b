/**
 * The folder of registration sockets (plugins_registry): each socket there is asked what it is, its kind takes it, and it is told whether it was taken.
 * A socket that goes takes its plugin along; one that is made anew is asked anew.
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { linked } from '../../base/abort.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Gauge, type Registry } from '../../base/metrics.ts';
import { RegistrationService, type PluginInfo } from '../../wire/gen/pluginregistration.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { lookAgain } from '../look-again.ts';

/** What is done with plugins of one type: "CSIPlugin", "DevicePlugin", "DRAPlugin". */
export interface PluginKind {
	/** Throws when the plugin cannot be taken; it is tried again. The endpoint is the socket itself where the plugin names none. */
	register(plugin: PluginInfo, signal: AbortSignal): Promise<void>;
	deregister(plugin: PluginInfo): Promise<void>;
}

export interface PluginWatcherOptions {
	readonly folder: string;
	readonly kinds: Readonly<Record<string, PluginKind>>;
	readonly clock: Clock;
	readonly log: Log;
	/** Where plugins are counted. */
	readonly registry?: Registry;
}

/** Where the file system tells of nothing, the folder is looked at this often. */
const PERIOD_MS = 10_000;
/** A socket is bound before it listens. */
const QUIET_MS = 20;
/** Upstream's time-outs and back-off. */
const DIAL_MS = 10_000;
const NOTIFY_MS = 5000;
const RETRY = { initialMs: 500, maxMs: 120_000 };

interface Taken {
	readonly stop: AbortController;
	readonly done: Promise<void>;
	plugin: PluginInfo | undefined;
}

/** Until the signal aborts; plugins stay registered then. */
export async function watchPlugins(options: PluginWatcherOptions, signal: AbortSignal): Promise<void> {
	const { folder, clock } = options;
	await mkdir(folder, { recursive: true, mode: 0o750 });
	const taken = new Map<string, Taken>();
	if (options.registry !== undefined) countPlugins(options.registry, taken);
	const looking = { path: folder, periodMs: PERIOD_MS, quietMs: QUIET_MS, clock };
	try {
		await lookAgain(looking, async () => compare(taken, await socketsIn(folder), options, signal), signal);
	} finally {
		for (const { stop } of taken.values()) stop.abort();
		await Promise.all([...taken.values()].map((t) => t.done));
	}
}

/** By socket: those that are there, and those that are registered. */
function countPlugins(registry: Registry, taken: ReadonlyMap<string, Taken>): void {
	const gauge = new Gauge({
		name: 'plugin_manager_total_plugins',
		help: '[ALPHA] Number of plugins in Plugin Manager',
		labelNames: ['socket_path', 'state'],
		registers: [registry],
		collect: () => {
			gauge.reset();
			for (const [key, { plugin }] of taken) {
				const socket_path = pathOf(key);
				gauge.inc({ socket_path, state: 'desired_state_of_world' });
				if (plugin !== undefined) gauge.inc({ socket_path, state: 'actual_state_of_world' });
			}
		},
	});
}

async function compare(
	taken: Map<string, Taken>,
	now: ReadonlySet<string>,
	options: PluginWatcherOptions,
	signal: AbortSignal,
): Promise<void> {
	const gone = [...taken].filter(([key]) => !now.has(key));
	for (const [key, { stop, done }] of gone) {
		taken.delete(key);
		stop.abort();
		await done;
	}
	for (const key of now) if (!taken.has(key)) taken.set(key, take(key, options, signal));
	const paths = new Set([...now].map(pathOf));
	for (const [key, { plugin }] of gone) {
		// One made anew is a plugin that was started again: nothing has gone.
		if (plugin === undefined || paths.has(pathOf(key))) continue;
		options.log.info('a plugin has gone', { type: plugin.type, plugin: plugin.name });
		await options.kinds[plugin.type]
			?.deregister(plugin)
			.catch((error: unknown) => options.log.warn('plugin not deregistered', { plugin: plugin.name, reason: messageOf(error) }));
	}
}

function take(key: string, options: PluginWatcherOptions, parent: AbortSignal): Taken {
	const { clock, log } = options;
	const socket = pathOf(key);
	const stop = new AbortController();
	const run = async (): Promise<void> => {
		using signal = linked(parent, stop.signal);
		await retrying(
			clock,
			RETRY,
			signal.signal,
			() => registerAt(socket, options, entry, signal.signal),
			(error) => {
				log.warn('plugin not registered', { socket, reason: messageOf(error) });
				return true;
			},
		).catch(() => {});
	};
	const entry: Taken = { stop, plugin: undefined, done: Promise.resolve().then(run) };
	return entry;
}

async function registerAt(socket: string, { kinds, clock, log }: PluginWatcherOptions, entry: Taken, signal: AbortSignal): Promise<void> {
	const client = await grpcClient(RegistrationService, { address: `unix://${socket}`, clock });
	try {
		const info = await client.getInfo({}, { timeoutMs: DIAL_MS, signal });
		const plugin = info.endpoint === '' ? { ...info, endpoint: socket } : info;
		const tell = (error: string): Promise<unknown> =>
			client.notifyRegistrationStatus({ pluginRegistered: error === '', error }, { timeoutMs: NOTIFY_MS, signal });
		try {
			const kind = kinds[plugin.type];
			if (kind === undefined)
				throw new Error(`RegisterPlugin error -- no handler registered for plugin type: ${plugin.type} at socket ${socket}`);
			await kind.register(plugin, signal);
		} catch (error) {
			if (!signal.aborted) await tell(messageOf(error)).catch(() => {});
			throw error;
		}
		entry.plugin = plugin;
		log.info('registered a plugin', { type: plugin.type, plugin: plugin.name, endpoint: plugin.endpoint });
		await tell('').catch((error: unknown) =>
			log.warn('a plugin does not hear of its registration', { plugin: plugin.name, reason: messageOf(error) }),
		);
	} finally {
		client.close();
	}
}

function pathOf(key: string): string {
	return key.slice(key.indexOf(' ') + 1);
}

/** Sockets, by "INODE.TIME PATH". */
async function socketsIn(folder: string): Promise<ReadonlySet<string>> {
	const found = new Set<string>();
	for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
		if (!entry.isSocket() || entry.name.startsWith('.')) continue;
		const path = join(entry.parentPath, entry.name);
		const info = await stat(path).catch(() => undefined);
		if (info !== undefined) found.add(`${info.ino}.${info.ctimeMs} ${path}`);
	}
	return found;
}
