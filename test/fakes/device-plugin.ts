/** A device plugin over a real socket: it tells of the devices that it is given, and remembers what it was asked. */
import { join } from 'node:path';
import { aborted } from '../../base/abort.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { DevicePluginService, RegistrationService, type Device } from '../../wire/gen/deviceplugin.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { serveGrpc, service, type GrpcServer } from '../../wire/grpc/server.ts';

export interface PluginBehaviour {
	readonly preStartRequired?: boolean;
	/** What it would rather give of those that are there. */
	readonly prefers?: (available: readonly string[]) => readonly string[];
	readonly failAllocate?: string;
	/** Asked for these, it does not answer. */
	readonly silentAt?: 'allocate' | 'getPreferredAllocation';
	/** What all its devices are on this machine; it gives nothing but them then. */
	readonly hostDevice?: string;
}

export class DevicePluginFake implements AsyncDisposable {
	readonly calls: string[] = [];
	/** Calls that it does not answer. */
	silent = 0;
	readonly #folder: string;
	readonly #name: string;
	#server: GrpcServer | undefined;
	#devices: readonly Device[];
	#told = Promise.withResolvers<void>();

	constructor(folder: string, name: string, devices: readonly Device[]) {
		this.#folder = folder;
		this.#name = name;
		this.#devices = devices;
	}

	/** Serves, and registers with the agent for a resource. */
	async start(
		resourceName: string,
		{ preStartRequired = false, prefers, failAllocate, silentAt, hostDevice }: PluginBehaviour = {},
	): Promise<void> {
		const options = { preStartRequired, getPreferredAllocationAvailable: prefers !== undefined };
		const plugin = service(DevicePluginService, {
			getDevicePluginOptions: async () => options,
			listAndWatch: (_, { signal }) => this.#list(signal),
			getPreferredAllocation: async ({ containerRequests }, { signal }) => {
				if (silentAt === 'getPreferredAllocation') await this.#sayNothing(signal);
				return {
					containerResponses: containerRequests.map(({ availableDeviceIDs }) => ({
						deviceIDs: [...(prefers?.(availableDeviceIDs) ?? [])],
					})),
				};
			},
			allocate: async ({ containerRequests }, { signal }) => {
				if (silentAt === 'allocate') await this.#sayNothing(signal);
				const ids = containerRequests.flatMap((request) => request.devicesIds);
				this.calls.push(`allocate ${ids.join(',')}`);
				if (failAllocate !== undefined) throw new Error(failAllocate);
				return {
					containerResponses: [
						{
							envs: { DEVICES: ids.join(',') },
							mounts: hostDevice === undefined ? [{ containerPath: '/lib', hostPath: '/opt/lib', readOnly: true }] : [],
							devices: ids.map((id) => ({ containerPath: `/dev/${id}`, hostPath: hostDevice ?? `/dev/host-${id}`, permissions: 'rw' })),
							annotations: { 'example.com/devices': ids.join(',') },
							cdiDevices: hostDevice === undefined ? ids.map((id) => ({ name: `example.com/kind=${id}` })) : [],
						},
					],
				};
			},
			preStartContainer: async ({ devicesIds }) => {
				this.calls.push(`start ${devicesIds.join(',')}`);
				return {};
			},
		});
		const endpoint = `${this.#name}.sock`;
		this.#server = await serveGrpc([plugin], { address: `unix://${join(this.#folder, endpoint)}`, clock: realClock, log: noLog });
		const kubelet = await grpcClient(RegistrationService, { address: `unix://${join(this.#folder, 'kubelet.sock')}`, clock: realClock });
		await kubelet.register({ version: 'v1beta1', endpoint, resourceName, options }).finally(() => kubelet.close());
	}

	tell(devices: readonly Device[]): void {
		this.#devices = devices;
		this.#told.resolve();
		this.#told = Promise.withResolvers();
	}

	async stop(): Promise<void> {
		await this.#server?.stop();
		this.#server = undefined;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.stop();
	}

	#sayNothing(signal: AbortSignal): Promise<void> {
		this.silent++;
		return aborted(signal);
	}

	async *#list(signal: AbortSignal): AsyncGenerator<{ devices: Device[] }> {
		const ended = aborted(signal);
		while (!signal.aborted) {
			yield { devices: [...this.#devices] };
			await Promise.race([this.#told.promise, ended]);
		}
	}
}

export function device(ID: string, nodes: readonly number[] = [], health = 'Healthy'): Device {
	return { ID, health, topology: nodes.length === 0 ? undefined : { nodes: nodes.map((node) => ({ ID: BigInt(node) })) } };
}
