/**
 * Registration with the kubelet: a socket in its folder of plugins, over which it asks who serves CSI where. The kubelet watches that folder, and takes
 * the socket's removal for the driver's end (pluginregistration.Registration, which bears no version).
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../base/log.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { RegistrationService } from '../wire/gen/pluginregistration.ts';
import { serveGrpc, service, type GrpcServer } from '../wire/grpc/server.ts';

export interface Registrar {
	/** Of the kubelet: "/var/lib/kubelet/plugins_registry". */
	readonly dir: string;
	readonly driverName: string;
	/** The CSI socket's path as the kubelet sees it. */
	readonly endpoint: string;
	readonly clock: Clock;
	readonly log: Log;
	/** The kubelet refused the driver. */
	onRefused(error: AppError): void;
}

/** Of the registration API: the kubelet takes drivers of CSI 1. */
const SUPPORTED_VERSIONS = ['1.0.0'];

/** The server of the socket DIR/NAME-reg.sock; stopping it deregisters the driver. */
export async function registerPlugin({ dir, driverName, endpoint, clock, log, onRefused }: Registrar): Promise<GrpcServer> {
	await mkdir(dir, { recursive: true });
	const handlers = service(RegistrationService, {
		getInfo: async () => ({ type: 'CSIPlugin', name: driverName, endpoint, supportedVersions: SUPPORTED_VERSIONS }),
		notifyRegistrationStatus: async ({ pluginRegistered, error }) => {
			if (pluginRegistered) log.info('registered with the kubelet', { driver: driverName });
			else onRefused(new AppError('FailedPrecondition', `The kubelet did not register "${driverName}": ${error}`));
			return {};
		},
	});
	return serveGrpc([handlers], { address: join(dir, `${driverName}-reg.sock`), clock, log });
}
