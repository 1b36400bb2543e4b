/** A driver as its sidecar roles see it: clients of its services on one socket, its name, and what it says it can. */
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import {
	ControllerService,
	GroupControllerService,
	IdentityService,
	PluginCapability_Service_Type as Service,
	type ControllerServiceCapability_RPC_Type as ControllerRpc,
	type GroupControllerServiceCapability_RPC_Type as GroupRpc,
	type PluginCapability_VolumeExpansion_Type as Expansion,
} from '../proto.ts';
import { callMetrics } from './diagnostics.ts';

export interface DriverLink extends Disposable {
	/** GetPluginInfo's. */
	readonly name: string;
	readonly services: ReadonlySet<Service>;
	readonly expansion: ReadonlySet<Expansion>;
	readonly controllerRpcs: ReadonlySet<ControllerRpc>;
	readonly groupRpcs: ReadonlySet<GroupRpc>;
	readonly identity: GrpcClient<typeof IdentityService>;
	readonly controller: GrpcClient<typeof ControllerService>;
	readonly group: GrpcClient<typeof GroupControllerService>;
	/** Of one call. */
	readonly timeoutMs: number;
}

export interface LinkOptions {
	/** "unix:///csi/csi.sock" or a path. */
	readonly address: string;
	/** Of one call. */
	readonly timeoutMs: number;
	readonly clock: Clock;
	readonly log: Log;
	/** Of its calls. */
	readonly metrics?: Registry | undefined;
}

/** Between two probes of a driver that is not ready (csi-lib-utils' ProbeForever). */
const PROBE_AGAIN_MS = 1000;

/** Waits until the driver answers that it is ready, then asks what it is. */
export async function linkDriver(options: LinkOptions, signal: AbortSignal): Promise<DriverLink> {
	const { clock, timeoutMs } = options;
	const address = /^(unix:|\/)/.test(options.address) ? options.address : `unix:${options.address}`;
	let driverName = 'unknown-driver'; // as csi-lib-utils has it
	const count = options.metrics === undefined ? undefined : callMetrics(options.metrics);
	const onCall = count && ((call: FinishedCall): void => count(driverName, call));
	const to = { address, clock, goErrors: true, ...(onCall && { onCall }) };
	const [identity, controller, group] = await Promise.all([
		grpcClient(IdentityService, to),
		grpcClient(ControllerService, to),
		grpcClient(GroupControllerService, to),
	]);
	const close = (): void => [identity, controller, group].forEach((one) => one.close());
	try {
		await untilReady(identity, options, signal);
		const call = { timeoutMs, signal };
		const { name } = await identity.getPluginInfo({}, call);
		if (name === '') throw new AppError('FailedPrecondition', `The driver at "${options.address}" has no name`);
		driverName = name;
		const plugin = (await identity.getPluginCapabilities({}, call)).capabilities.map((c) => c.type);
		const services = new Set(plugin.flatMap((type) => (type?.$case === 'service' ? [type.value.type] : [])));
		const expansion = new Set(plugin.flatMap((type) => (type?.$case === 'volumeExpansion' ? [type.value.type] : [])));
		const rpcs = services.has(Service.CONTROLLER_SERVICE) ? (await controller.controllerGetCapabilities({}, call)).capabilities : [];
		const groups = services.has(Service.GROUP_CONTROLLER_SERVICE)
			? (await group.groupControllerGetCapabilities({}, call)).capabilities
			: [];
		return {
			...{ name, services, expansion, identity, controller, group, timeoutMs },
			controllerRpcs: new Set(rpcs.flatMap(({ type }) => (type === undefined ? [] : [type.value.type]))),
			groupRpcs: new Set(groups.flatMap(({ type }) => (type === undefined ? [] : [type.value.type]))),
			[Symbol.dispose]: close,
		};
	} catch (error) {
		close();
		throw error;
	}
}

async function untilReady(identity: GrpcClient<typeof IdentityService>, options: LinkOptions, signal: AbortSignal): Promise<void> {
	const { address, clock, log, timeoutMs } = options;
	for (let said = false; ; said = true) {
		try {
			// A driver that says nothing of it is ready.
			if ((await identity.probe({}, { timeoutMs, signal })).ready !== false) return;
			if (!said) log.info('the driver is not ready yet', { address });
		} catch (error) {
			signal.throwIfAborted();
			if (codeOf(error) !== 'Unavailable' && codeOf(error) !== 'DeadlineExceeded') throw error;
			if (!said) log.info('the driver does not answer yet', { address, reason: messageOf(error) });
		}
		await clock.sleep(PROBE_AGAIN_MS, signal);
	}
}
