/** CSI drivers as plugins: taken when they can say which node this is, and when the API knows it too. */
import { AppError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import type { PluginInfo } from '../../wire/gen/pluginregistration.ts';
import type { PluginKind } from '../plugin/plugin-watcher.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import { connectDriver, type CsiDrivers } from './drivers.ts';
import { writeDriver } from './node-objects.ts';

export interface CsiPluginOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly nodeName: string;
	readonly drivers: CsiDrivers;
	/** Ends with the agent. */
	readonly signal: AbortSignal;
	/** Told of each driver that is there now: pods may wait for it. */
	readonly registered: (name: string) => void;
	/** Of drivers. */
	readonly called?: (driver: string, call: FinishedCall) => void;
}

export function csiPlugins(options: CsiPluginOptions): PluginKind {
	const { clock, drivers, called } = options;
	return {
		async register(plugin, signal) {
			validate(plugin);
			const onCall = (call: FinishedCall): void => called?.(plugin.name, call);
			const { driver, info } = await connectDriver(plugin.name, plugin.endpoint, clock, signal, onCall);
			drivers.set(driver);
			try {
				await writeDriver(options, plugin.name, info, signal);
			} catch (error) {
				drivers.delete(plugin.name);
				throw error;
			}
			options.registered(plugin.name);
		},
		async deregister({ name }) {
			drivers.delete(name);
			await writeDriver(options, name, undefined, options.signal);
		},
	};
}

/** Versions are of CSI; only 1.x is spoken here. */
function validate({ name, supportedVersions }: PluginInfo): void {
	const fault = (why: string): AppError => new AppError('InvalidArgument', `validation failed for CSI Driver ${name}: ${why}`);
	if (name === '') throw fault('plugin name is empty');
	if (supportedVersions.length === 0) throw fault('the plugin names no supported version');
	if (!supportedVersions.some((v) => /^v?1(\.|$)/.test(v)))
		throw fault(`none of its versions is supported: ${supportedVersions.join(', ')}`);
}
