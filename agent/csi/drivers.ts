/** The CSI drivers that are registered on this node, and the connections to them. */
import { AppError } from '../../base/errors.ts';
import { Condition } from '../../base/condition.ts';
import type { Clock } from '../../base/clock.ts';
import { NodeService, NodeServiceCapability_RPC_Type as Type, type NodeGetInfoResponse } from '../../wire/gen/csi.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';

export type NodeClient = GrpcClient<typeof NodeService>;

export interface CsiDriver {
	readonly name: string;
	readonly endpoint: string;
	readonly node: NodeClient;
	readonly capabilities: ReadonlySet<number>;
}

export type Capability = Exclude<keyof typeof Type, 'UNKNOWN' | 'UNRECOGNIZED'>;

/** Upstream's, of each call. */
export const CALL_MS = 120_000;

export class CsiDrivers {
	readonly #drivers = new Map<string, CsiDriver>();
	/** Drivers came or went, or their objects of the API changed. */
	readonly changed = new Condition();

	/** Throws upstream's words for a driver that is not here. */
	get(name: string): CsiDriver {
		const driver = this.#drivers.get(name);
		if (driver === undefined) throw new AppError('Unavailable', `driver name ${name} not found in the list of registered CSI drivers`);
		return driver;
	}

	all(): readonly CsiDriver[] {
		return [...this.#drivers.values()];
	}

	has(name: string): boolean {
		return this.#drivers.has(name);
	}

	set(driver: CsiDriver): void {
		this.#drivers.get(driver.name)?.node.close();
		this.#drivers.set(driver.name, driver);
		this.changed.changed();
	}

	delete(name: string): void {
		this.#drivers.get(name)?.node.close();
		this.#drivers.delete(name);
	}

	close(): void {
		for (const name of this.#drivers.keys()) this.delete(name);
	}
}

export function can(driver: CsiDriver, capability: Capability): boolean {
	return driver.capabilities.has(Type[capability]);
}

/** Asks who serves there and what it can. @param onCall told of each of its calls, from then on */
export async function connectDriver(
	name: string,
	endpoint: string,
	clock: Clock,
	signal: AbortSignal,
	onCall?: (call: FinishedCall) => void,
): Promise<{ readonly driver: CsiDriver; readonly info: NodeGetInfoResponse }> {
	const node = await grpcClient(NodeService, { address: endpoint, clock, goErrors: true, ...(onCall && { onCall }) });
	try {
		const options = { timeoutMs: CALL_MS, signal };
		const [info, { capabilities }] = await Promise.all([node.nodeGetInfo({}, options), node.nodeGetCapabilities({}, options)]);
		const held = capabilities.flatMap(({ type }) => (type === undefined ? [] : [type.value.type]));
		return { driver: { name, endpoint, node, capabilities: new Set<number>(held) }, info };
	} catch (error) {
		node.close();
		throw error;
	}
}
