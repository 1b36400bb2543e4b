/**
 * Follows APIServices: makes those of this server's own groups, tells of each whether it is available, and finds the server behind a path.
 *
 *   APIService -> (Service, endpoints) -> asked every 30 s, sooner while it fails -> condition Available -> requests are passed on
 */
import type { APIResourceDiscovery, APIService, CustomResourceDefinition } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS, ENDPOINT_SLICES, SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { hostPort } from '../../../base/host-port.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import type { AggregatedSource, RemoteVersion } from '../discovery/source.ts';
import type { Handler, ObjectReader, ObjectWriter } from '../contracts.ts';
import { Backend, type BackendTls } from '../subresources/proxy/backend.ts';
import { slicesOf } from '../webhook/endpoints.ts';
import { beforeAsking, isAvailable, PASSED, withAvailability, type Availability } from './availability.ts';
import { groupVersionOf, groupVersionPath } from './group-version.ts';
import { builtInServices, groupPriority, versionPriority } from './local-services.ts';
import { proxied } from './proxy.ts';
import { remoteResources } from './remote-discovery.ts';
import { RemoteOpenApi } from './remote-openapi.ts';
import { RemoteServer } from './remote-server.ts';
import { LocalServices } from './registration.ts';

interface Deps {
	readonly reader: ObjectReader;
	readonly writer: ObjectWriter;
	/** The certificate that aggregated servers know us by. */
	readonly proxyClient: () => BackendTls;
	readonly clock: Clock;
	readonly log: Log;
}

type Definition = CustomResourceDefinition & KubeObject;
export type Aggregated = APIService & KubeObject;

/** Upstream's resync, and its first back-off. */
const CHECK_MS = 30_000;
const RETRY_MS = 5_000;
const ASK_TIMEOUT_MS = 5_000;

export class Aggregator implements AggregatedSource, Disposable {
	readonly #deps: Deps;
	readonly #server: RemoteServer;
	readonly #backend: Backend;
	/** By "group/version". */
	#remote: ReadonlyMap<string, Aggregated> = new Map();
	#services: readonly Aggregated[] = [];
	readonly #resources = new Map<string, { readonly resources: readonly APIResourceDiscovery[]; readonly fresh: boolean }>();
	#revision = 0;
	/** What the revision stands for. */
	#shown = '';
	/** Names of built-in ones that have never been available yet. */
	readonly #unregistered = new Set(builtInServices().map(({ metadata }) => metadata.name ?? ''));
	#registered = (): void => {};

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#server = new RemoteServer({ objects: deps.reader, clock: deps.clock, proxyClient: deps.proxyClient });
		this.#backend = new Backend(deps.proxyClient);
		this.openApi = new RemoteOpenApi({ available: () => this.available(), server: this.#server, clock: deps.clock });
	}

	/** Counts changes of what discovery shows. */
	get revision(): number {
		return this.#revision;
	}

	/** APIServices of this server's own groups that have never been there and available yet. */
	unregistered(): readonly string[] {
		return [...this.#unregistered].toSorted();
	}

	/** Nothing where this server serves the path itself. */
	route(path: string): Handler | undefined {
		if (this.#remote.size === 0) return undefined;
		const service = this.#remote.get(groupVersionOf(path) ?? '');
		return service === undefined ? undefined : (request) => proxied(request, service, this.#server, this.#backend);
	}

	remoteVersions(): readonly RemoteVersion[] {
		return [...this.#remote].map(([key, { spec }]) => {
			const known = this.#resources.get(key);
			const { group = '', version = '' } = spec ?? {};
			return { group, version, freshness: known?.fresh === true ? 'Current' : 'Stale', resources: known?.resources ?? [] };
		});
	}

	/** The servers that can be asked now. */
	available(): readonly Aggregated[] {
		return [...this.#remote.values()].filter(isAvailable);
	}

	/** What its servers publish. */
	readonly openApi: RemoteOpenApi;

	groupPriority(group: string): number {
		return groupPriority(group, this.#services);
	}

	versionPriority(group: string, version: string): number {
		return versionPriority(group, version, this.#services);
	}

	/** Resolves when the signal aborts and all work has ended. `registered` is called once all built-in APIServices have been available. */
	async run(client: Client, signal: AbortSignal, registered: () => void): Promise<void> {
		const { reader, clock } = this.#deps;
		let wake = Promise.withResolvers<void>();
		const touch = (): void => wake.resolve();
		const local = new LocalServices({ client, log: this.#deps.log });
		signal.addEventListener('abort', touch, { once: true });
		using _services = reader.onChange(API_SERVICES, touch);
		using _definitions = reader.onChange(CUSTOM_RESOURCE_DEFINITIONS, touch);
		using following = new DisposableStack();
		let followed = false;
		this.#registered = registered;
		this.#read();
		while (!signal.aborted) {
			wake = Promise.withResolvers<void>();
			const isMade = await local.ensure(this.#services, reader.list(CUSTOM_RESOURCE_DEFINITIONS) as readonly Definition[], signal);
			this.#read();
			if (this.#remote.size > 0 && !followed) {
				// Only now is it worth looking at every endpoint that changes.
				followed = true;
				following.use(reader.onChange(SERVICES, ({ key }) => this.#concerns(key) && touch()));
				following.use(
					reader.onChange(ENDPOINT_SLICES, ({ before, after }) => {
						const { namespace = '', labels } = (after ?? before)?.metadata ?? {};
						if (this.#concerns(`${namespace}/${labels?.['kubernetes.io/service-name'] ?? ''}`)) touch();
					}),
				);
			}
			const checked = await Promise.all(this.#services.map((service) => this.#check(service, signal)));
			this.#read();
			using _next = clock.after(isMade && checked.every(Boolean) ? CHECK_MS : RETRY_MS, touch);
			if (!signal.aborted) await wake.promise;
		}
	}

	[Symbol.dispose](): void {
		this.#server[Symbol.dispose]();
		this.#backend.close();
	}

	#concerns(service: string): boolean {
		for (const { spec } of this.#remote.values())
			if (service === `${spec?.service?.namespace ?? ''}/${spec?.service?.name ?? ''}`) return true;
		return false;
	}

	/** Takes up what is stored. */
	#read(): void {
		const services = this.#deps.reader.list(API_SERVICES) as readonly Aggregated[];
		const remote = services.filter(({ spec }) => spec?.service !== undefined);
		const keyOfService = ({ spec }: Aggregated): string => `${spec?.group ?? ''}/${spec?.version ?? ''}`;
		this.#services = services;
		this.#remote = new Map(remote.map((service) => [keyOfService(service), service]));
		for (const key of this.#resources.keys()) if (!this.#remote.has(key)) this.#resources.delete(key);
		this.#compare();
	}

	#compare(): void {
		const shown = JSON.stringify([this.#services.map(({ spec }) => spec), [...this.#resources]]);
		if (shown !== this.#shown) this.#revision++;
		this.#shown = shown;
	}

	/** Whether the service is as it should be. */
	async #check(service: Aggregated, signal: AbortSignal): Promise<boolean> {
		const { writer, clock, log } = this.#deps;
		try {
			const found = await this.#availability(service, signal);
			if (withAvailability(service, found, clock.now()) !== service)
				await writer.change(API_SERVICES, keyOf(service), (live) => withAvailability(live, found, clock.now()), {
					...{ dryRun: false, signal, tracked: 'status' },
				});
			const good = found.status === 'True';
			if (good && this.#unregistered.delete(service.metadata.name ?? '') && this.#unregistered.size === 0) this.#registered();
			if (service.spec?.service !== undefined) {
				this.#read(); // who reads that it is available may ask it, while its discovery is still waited for
				await this.#discover(service, good, signal);
			}
			return good;
		} catch (error) {
			if (!signal.aborted) log.warn('cannot check an APIService', { name: service.metadata.name ?? '', why: messageOf(error) });
			return false;
		}
	}

	async #availability(service: Aggregated, signal: AbortSignal): Promise<Availability> {
		const { reader } = this.#deps;
		const { name = '', namespace = '' } = service.spec?.service ?? {};
		const backing = service.spec?.service === undefined ? undefined : reader.get(SERVICES, `${namespace}/${name}`);
		const slices = backing === undefined ? [] : slicesOf(reader.list(ENDPOINT_SLICES, namespace), name);
		return beforeAsking(service, backing, slices) ?? (await this.#ask(service, signal));
	}

	async #ask(service: Aggregated, signal: AbortSignal): Promise<Availability> {
		const { group = '', version = '' } = service.spec ?? {};
		const path = groupVersionPath(group, version);
		let url = path;
		const failed = (why: string): Availability => {
			const message = `failing or missing response from ${url}: ${why}`;
			return { status: 'False', reason: 'FailedDiscoveryCheck', message };
		};
		try {
			const { host, port } = this.#server.address(service);
			url = `https://${hostPort(host, port)}${path}`;
			const { status } = await this.#server.get(service, path, '*/*', ASK_TIMEOUT_MS, signal);
			return status >= 200 && status < 300 ? PASSED : failed(`bad status from ${url}: ${status}`);
		} catch (error) {
			signal.throwIfAborted();
			return failed(messageOf(error));
		}
	}

	/** Of a server that cannot tell, nothing is shown but that it is there. */
	async #discover(service: Aggregated, good: boolean, signal: AbortSignal): Promise<void> {
		const key = `${service.spec?.group ?? ''}/${service.spec?.version ?? ''}`;
		const stale = { resources: [], fresh: false };
		const told = good
			? await remoteResources(service, this.#server, signal).then(
					(resources) => ({ resources, fresh: true }),
					() => stale,
				)
			: stale;
		this.#resources.set(key, told);
		this.#compare();
	}
}
