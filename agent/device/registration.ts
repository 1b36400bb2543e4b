/** How device plugins come to be known: by the plugin watcher, or by calling kubelet.sock in device-plugins themselves. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { RegistrationService } from '../../wire/gen/deviceplugin.ts';
import { serveGrpc, service, type GrpcServer } from '../../wire/grpc/server.ts';
import type { PluginKind } from '../plugin/plugin-watcher.ts';
import type { Devices } from './devices.ts';

const VERSION = 'v1beta1';
const SOCKET = 'kubelet.sock';
/** An extended resource: of a domain that is not kubernetes.io, and no quota's name. */
const RESOURCE = /^(?!requests\.)(?!([^/]*\.)?kubernetes\.io\/)[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

export function devicePlugins(devices: Devices): PluginKind {
	return {
		register({ name, endpoint, supportedVersions }, signal) {
			check(name, supportedVersions);
			return devices.register(name, endpoint, signal);
		},
		deregister: async ({ name }) => devices.deregister(name),
	};
}

/** Plugins see kubelet.sock made anew when the agent starts, and register again; sockets of their earlier lives are gone by then, as upstream has it. */
export async function serveRegistration(
	folder: string,
	devices: Devices,
	clock: Clock,
	log: Log,
	signal: AbortSignal,
): Promise<GrpcServer> {
	await mkdir(folder, { recursive: true, mode: 0o750 });
	const sockets = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isSocket());
	await Promise.all(sockets.map(({ name }) => rm(join(folder, name), { force: true })));
	const registration = service(RegistrationService, {
		async register({ version, endpoint, resourceName }) {
			check(resourceName, [version]);
			if (endpoint === '' || endpoint.includes('/'))
				throw new AppError('InvalidArgument', `endpoint "${endpoint}" is no name of a socket in ${folder}`);
			// The plugin may wait for the answer before it serves.
			devices
				.register(resourceName, join(folder, endpoint), signal)
				.then(() => log.info('registered a device plugin', { resource: resourceName }))
				.catch((error: unknown) => log.warn('device plugin not registered', { resource: resourceName, reason: messageOf(error) }));
			return {};
		},
	});
	return serveGrpc([registration], { address: `unix://${join(folder, SOCKET)}`, clock, log });
}

function check(resource: string, versions: readonly string[]): void {
	if (!versions.includes(VERSION))
		throw new AppError(
			'InvalidArgument',
			`requested API version "${versions.join(',')}" is not supported by kubelet. Supported version is ["${VERSION}"]`,
		);
	if (!RESOURCE.test(resource)) throw new AppError('InvalidArgument', `the ResourceName "${resource}" is invalid`);
}
