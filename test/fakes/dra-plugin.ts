/** A DRA driver: it remembers which claims it has prepared. Over real sockets, or called where it stands. */
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { Condition } from '../../base/condition.ts';
import { noLog } from '../../base/log.ts';
import { DRAPluginService, type Claim } from '../../wire/gen/dra.ts';
import { DRAResourceHealthService, type DeviceHealth, type NodeWatchResourcesResponse } from '../../wire/gen/dra-health.ts';
import { RegistrationService } from '../../wire/gen/pluginregistration.ts';
import type { Handlers } from '../../wire/grpc/method.ts';
import { serveGrpc, service, type GrpcServer } from '../../wire/grpc/server.ts';
import type { DraClient } from '../../agent/dra/plugins.ts';

export class DraPluginFake implements AsyncDisposable {
	/** Names of claims. */
	readonly prepared = new Set<string>();
	readonly calls: string[] = [];
	/** What goes wrong with every claim; nothing when empty. */
	fault = '';
	readonly #driver: string;
	readonly #cdi: boolean;
	#servers: readonly GrpcServer[] = [];
	#health: readonly DeviceHealth[] | undefined;
	readonly #listened = new Condition();

	/** @param cdi whether its devices are of the Container Device Interface */
	constructor(driver: string, { cdi = true }: { readonly cdi?: boolean } = {}) {
		this.#driver = driver;
		this.#cdi = cdi;
	}

	/** Serves in a folder of registration sockets. */
	async start(folder: string, supportedVersions: string[], definition: typeof DRAPluginService = DRAPluginService): Promise<void> {
		const endpoint = join(folder, `.${this.#driver}.sock`);
		const registration = service(RegistrationService, {
			getInfo: async () => ({ type: 'DRAPlugin', name: this.#driver, endpoint, supportedVersions }),
			notifyRegistrationStatus: async () => ({}),
		});
		const plugin = service(definition, this.#handlers);
		const health = service(DRAResourceHealthService, { nodeWatchResources: (_, { signal }) => this.#tellHealth(signal) });
		const serve = (what: readonly (typeof plugin)[], path: string): Promise<GrpcServer> =>
			serveGrpc(what, { address: `unix://${path}`, clock: realClock, log: noLog });
		this.#servers = [
			await serve(this.#health === undefined ? [plugin] : [plugin, health], endpoint),
			await serve([registration], join(folder, `${this.#driver}-reg.sock`)),
		];
	}

	/** From now on its devices are so. Who never says it has no such service. */
	tell(devices: readonly DeviceHealth[]): void {
		this.#health = devices;
		this.#listened.changed();
	}

	async *#tellHealth(signal: AbortSignal): AsyncGenerator<NodeWatchResourcesResponse> {
		for (;;) {
			const told = this.#health ?? [];
			yield { devices: [...told] };
			await this.#listened.until(() => this.#health !== told, signal);
		}
	}

	/** Without a socket between. */
	get client(): DraClient {
		const { signal } = new AbortController();
		const { nodePrepareResources, nodeUnprepareResources } = this.#handlers;
		return {
			nodePrepareResources: (request) => nodePrepareResources(request, { signal }),
			nodeUnprepareResources: (request) => nodeUnprepareResources(request, { signal }),
			close: () => {},
			connected: () => Promise.resolve(),
		};
	}

	async stop(): Promise<void> {
		await Promise.all(this.#servers.map((server) => server.stop()));
		this.#servers = [];
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.stop();
	}

	readonly #handlers: Handlers<typeof DRAPluginService> = {
		nodePrepareResources: async ({ claims }) => {
			const error = this.fault;
			const devices = (name: string) =>
				['gpu', 'nic'].map((kind) => ({
					...{ requestNames: [kind], poolName: 'node', deviceName: `${kind}-0`, shareId: undefined },
					cdiDeviceIds: this.#cdi ? [`${this.#driver}/${kind}=${name}`] : [],
				}));
			return {
				claims: this.#each('prepare', claims, ({ name }) => {
					if (error === '') this.prepared.add(name);
					return { devices: error === '' ? devices(name) : [], error };
				}),
			};
		},
		nodeUnprepareResources: async ({ claims }) => ({
			claims: this.#each('unprepare', claims, ({ name }) => {
				if (this.fault === '') this.prepared.delete(name);
				return { error: this.fault };
			}),
		}),
	};

	#each<T>(what: string, claims: readonly Claim[], answer: (claim: Claim) => T): Record<string, T> {
		return Object.fromEntries(
			claims.map((claim) => {
				this.calls.push(`${what} ${claim.name}`);
				return [claim.uid, answer(claim)];
			}),
		);
	}
}
