/** DRA drivers as plugins of this node. What a driver published for the node goes some time after it. */
import { RESOURCE_SLICES } from '../../api/resources.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { DRAPluginService } from '../../wire/gen/dra.ts';
import type { PluginInfo } from '../../wire/gen/pluginregistration.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import { isNotFound } from '../volume/objects.ts';
import type { PluginKind } from '../plugin/plugin-watcher.ts';
import { followHealth } from './follow-health.ts';
import type { DeviceHealth } from './health.ts';

export type DraClient = GrpcClient<typeof DRAPluginService>;

/** Upstream's: a driver that is only started anew is back by then. */
const WIPE_MS = 30_000;
const RETRY = { initialMs: 5000, maxMs: 5000 };
/** The services that drivers name among their versions; their messages are the same. */
const SERVICES = { v1: 'v1.DRAPlugin', v1beta1: 'v1beta1.DRAPlugin' } as const;
type Version = keyof typeof SERVICES;

export interface DraPluginsOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	readonly nodeName: string;
	/** Told of each driver that is there now: pods may wait for it. */
	readonly registered: () => void;
	/** Of drivers. */
	readonly called?: (driver: string, call: FinishedCall) => void;
	/** Kept up with what drivers tell; nobody listens when absent. */
	readonly health?: DeviceHealth;
}

export class DraPlugins implements PluginKind {
	readonly #given: DraPluginsOptions;
	readonly #clients = new Map<string, DraClient>();
	/** Aborted when the driver is there again. */
	readonly #wiping = new Map<string, AbortController>();
	/** Aborted when the driver is gone. */
	readonly #followed = new Map<string, AbortController>();
	#signal: AbortSignal | undefined;

	constructor(given: DraPluginsOptions) {
		this.#given = given;
	}

	/** What drivers published that do not come back is wiped. @param signal ends with the agent */
	async begin(signal: AbortSignal): Promise<void> {
		const { client, clock, nodeName, log } = this.#given;
		this.#signal = signal;
		signal.addEventListener('abort', () => this.#close(), { once: true });
		const { items } = await retrying(
			clock,
			RETRY,
			signal,
			() => client.list(RESOURCE_SLICES, { fieldSelector: `spec.nodeName=${nodeName}`, signal }),
			(error) => {
				// A cluster of before 1.34 has none.
				if (isNotFound(error)) return false;
				log.warn('cannot see what drivers of an earlier life have published', { reason: messageOf(error) });
				return true;
			},
		).catch(() => ({ items: [] }));
		for (const driver of new Set(items.map(({ spec }) => spec.driver))) if (!this.#clients.has(driver)) this.#wipeLater(driver);
	}

	/** AppError Unavailable, in upstream's words, for a driver that is not here. */
	get(driver: string): DraClient {
		const client = this.#clients.get(driver);
		if (client === undefined) throw new AppError('Unavailable', `DRA driver ${driver} is not registered`);
		return client;
	}

	async register({ name, endpoint, supportedVersions }: PluginInfo, signal: AbortSignal): Promise<void> {
		const version = versionOf(name, supportedVersions);
		const { clock, called } = this.#given;
		const onCall = (call: FinishedCall): void => called?.(name, call);
		const client = await grpcClient(serviceOf(version), { address: endpoint, clock, goErrors: true, onCall });
		if (signal.aborted) {
			client.close();
			throw signal.reason as Error;
		}
		this.#clients.get(name)?.close();
		this.#clients.set(name, client);
		this.#keep(name);
		this.#follow(name, endpoint);
		this.#given.registered();
	}

	async deregister({ name }: PluginInfo): Promise<void> {
		this.#clients.get(name)?.close();
		this.#clients.delete(name);
		this.#followed.get(name)?.abort();
		this.#followed.delete(name);
		this.#given.health?.forget(name);
		this.#wipeLater(name);
	}

	/** Beside the driver's calls, as long as it is registered; throws nothing. */
	#follow(driver: string, endpoint: string): void {
		const { health, clock, log } = this.#given;
		if (health === undefined) return;
		this.#followed.get(driver)?.abort();
		const stop = new AbortController();
		this.#followed.set(driver, stop);
		followHealth({ driver, endpoint, health, clock, log }, stop.signal).catch(() => {});
	}

	#wipeLater(driver: string): void {
		if (this.#signal?.aborted === true) return;
		this.#keep(driver);
		const stop = new AbortController();
		this.#wiping.set(driver, stop);
		this.#wipe(driver, stop.signal).catch(() => {});
	}

	#keep(driver: string): void {
		this.#wiping.get(driver)?.abort();
		this.#wiping.delete(driver);
	}

	/** Goes on until it succeeds; throws nothing but the signal's reason. */
	async #wipe(driver: string, signal: AbortSignal): Promise<void> {
		const { client, clock, nodeName, log } = this.#given;
		await clock.sleep(WIPE_MS, signal);
		await retrying(
			clock,
			RETRY,
			signal,
			() => client.deleteCollection(RESOURCE_SLICES, { fieldSelector: `spec.nodeName=${nodeName},spec.driver=${driver}`, signal }),
			(error) => {
				log.warn('what a driver published is not wiped', { driver, reason: messageOf(error) });
				return true;
			},
		);
		log.info('wiped what a driver had published that is gone', { driver });
	}

	#close(): void {
		for (const driver of [...this.#wiping.keys()]) this.#keep(driver);
		for (const followed of this.#followed.values()) followed.abort();
		this.#followed.clear();
		this.#given.health?.stop();
		for (const client of this.#clients.values()) client.close();
		this.#clients.clear();
	}
}

/** The newest that both speak. Drivers of before services were named give a number and speak v1beta1. */
export function versionOf(driver: string, versions: readonly string[]): Version {
	if (versions.includes(SERVICES.v1)) return 'v1';
	if (versions.includes(SERVICES.v1beta1) || versions.some((version) => /^v?1\.\d+\.\d+$/.test(version))) return 'v1beta1';
	const [newest, older] = [SERVICES.v1, SERVICES.v1beta1];
	throw new AppError('InvalidArgument', `DRA driver ${driver} supports none of ${newest} and ${older}: ${versions.join(', ')}`);
}

function serviceOf(version: Version): typeof DRAPluginService {
	if (version === 'v1') return DRAPluginService;
	const renamed = Object.entries(DRAPluginService).map(([name, method]) => [
		name,
		{ ...method, path: method.path.replace('.v1.', `.${version}.`) },
	]);
	return Object.fromEntries(renamed) as typeof DRAPluginService;
}
