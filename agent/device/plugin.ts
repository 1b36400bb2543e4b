/** One device plugin: connected, asked what it can, and listened to while it tells of its devices. */
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { DevicePluginService, type DevicePluginOptions, type ListAndWatchResponse } from '../../wire/gen/deviceplugin.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import type { Device } from './choose.ts';

export interface DevicePlugin {
	readonly resource: string;
	readonly client: GrpcClient<typeof DevicePluginService>;
	readonly options: DevicePluginOptions;
}

/** Upstream's, of a dial. */
const CONNECT_MS = 10_000;
const HEALTHY = 'Healthy';

export async function connectPlugin(resource: string, endpoint: string, clock: Clock, signal: AbortSignal): Promise<DevicePlugin> {
	const client = await grpcClient(DevicePluginService, { address: endpoint, clock, goErrors: true });
	try {
		return { resource, client, options: await client.getDevicePluginOptions({}, { timeoutMs: CONNECT_MS, signal }) };
	} catch (error) {
		client.close();
		throw error;
	}
}

/** Before each start of a container that has its devices, where the plugin wants to hear of it. */
export async function preStart({ client }: DevicePlugin, ids: readonly string[], signal: AbortSignal): Promise<void> {
	await client.preStartContainer({ devicesIds: [...ids] }, { signal }).catch(failed('PreStartContainer', signal));
}

/** What the plugin would rather have, where it minds. */
export async function preferred(
	plugin: DevicePlugin | undefined,
	available: readonly string[],
	fixed: readonly string[],
	count: number,
	signal: AbortSignal,
): Promise<readonly string[]> {
	if (plugin?.options.getPreferredAllocationAvailable !== true) return [];
	const request = { availableDeviceIDs: [...available], mustIncludeDeviceIDs: [...fixed], allocationSize: count };
	const { containerResponses } = await plugin.client
		.getPreferredAllocation({ containerRequests: [request] }, { signal })
		.catch(failed('GetPreferredAllocation', signal));
	return containerResponses[0]?.deviceIDs ?? [];
}

/** Who broke off the call is told that, not that the plugin failed. */
function failed(rpc: string, signal: AbortSignal): (cause: unknown) => never {
	return (cause) => {
		if (signal.aborted) throw cause;
		throw new AppError(codeOf(cause), `device plugin ${rpc} rpc failed with err: ${messageOf(cause)}`, { cause });
	};
}

export function devicesIn({ devices }: ListAndWatchResponse): readonly Device[] {
	return devices.map(({ ID: id, health, topology }) => ({
		id,
		healthy: health === HEALTHY,
		nodes: (topology?.nodes ?? []).map((node) => Number(node.ID)),
	}));
}
