/** DRA drivers as plugins of this node. What a driver published for the node goes some time after it. */
import { RESOURCE_SLICES } from '../../api/resources.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { DRAPluginService } from '../../wire/gen/dra.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import { isNotFound } from '../volume/objects.ts';
import type { PluginKind } from '../plugin/plugin-watcher.ts';

export type DraClient = GrpcClient<typeof DRAPluginService>;

/** Upstream's: a driver that is only started anew is back by then. */
const WIPE_MS = 30_000;
const RETRY_MS = 5000;
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
}

export class DraPlugins implements PluginKind {
	readonly #given: DraPluginsOptions;
	readonly #clients = new Map<string, DraClient>();
	readonly #wiping = new Map<string, Disposable>();
	#signal: AbortSignal | undefined;

	constructor(given: DraPluginsOptions) {
		this.#given = given;
	}

	/** What drivers published that do not come back is wiped. @param signal ends with the agent */
	async begin(signal: AbortSignal): Promise<void> {
		const { client, nodeName, log } = this.#given;
		this.#signal = signal;
		signal.addEventListener('abort', () => this.#close(), { once: true });
		const { items } = await client.list(RESOURCE_SLICES, { fieldSelector: `spec.nodeName=${nodeName}`, signal }).catch((error: unknown) => {
			// A cluster of before 1.34 has none.
			if (!signal.aborted && !isNotFound(error))
				log.warn('cannot see what drivers of an earlier life have published', { reason: messageOf(error) });
			return { items: [] };
		});
		for (const driver of new Set(items.map(({ spec }) => spec.driver))) if (!this.#clients.has(driver)) this.#wipeLater(driver, WIPE_MS);
	}

	/** AppError Unavailable, in upstream's words, for a driver that is not here. */
	get(driver: string): DraClient {
		const client = this.#clients.get(driver);
		if (client === undefined) throw new AppError('Unavailable', `DRA driver ${driver} is not registered`);
		return client;
	}

	async register({ name, endpoint, supportedVersions }: Parameters<PluginKind['register']>[0]): Promise<void> {
		const version = versionOf(name, supportedVersions);
		const client = await grpcClient(serviceOf(version), { address: endpoint, clock: this.#given.clock });
		this.#clients.get(name)?.close();
		this.#clients.set(name, client);
		this.#keep(name);
		this.#given.registered();
	}

	async deregister({ name }: Parameters<PluginKind['deregister']>[0]): Promise<void> {
		this.#clients.get(name)?.close();
		this.#clients.delete(name);
		this.#wipeLater(name, WIPE_MS);
	}

	#wipeLater(driver: string, ms: number): void {
		if (this.#signal?.aborted === true) return;
		this.#keep(driver);
		this.#wiping.set(
			driver,
			this.#given.clock.after(ms, () => {
				this.#wipe(driver).catch((error: unknown) => {
					this.#given.log.warn('what a driver published is not wiped', { driver, reason: messageOf(error) });
					if (!this.#clients.has(driver)) this.#wipeLater(driver, RETRY_MS);
				});
			}),
		);
	}

	#keep(driver: string): void {
		this.#wiping.get(driver)?.[Symbol.dispose]();
		this.#wiping.delete(driver);
	}

	async #wipe(driver: string): Promise<void> {
		const { client, nodeName, log } = this.#given;
		this.#wiping.delete(driver);
		const signal = this.#signal;
		await client.deleteCollection(RESOURCE_SLICES, {
			fieldSelector: `spec.nodeName=${nodeName},spec.driver=${driver}`,
			...(signal === undefined ? {} : { signal }),
		});
		log.info('wiped what a driver had published that is gone', { driver });
	}

	#close(): void {
		for (const driver of [...this.#wiping.keys()]) this.#keep(driver);
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
