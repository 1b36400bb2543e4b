/** The Identity service. */
import type { Context } from './context.ts';
import type { Handlers } from '../wire/grpc/method.ts';
import {
	PluginCapability_Service_Type as Service,
	PluginCapability_VolumeExpansion_Type as Expansion,
	type IdentityService,
	type PluginCapability,
} from './proto.ts';

export function identityHandlers(context: Context): Handlers<typeof IdentityService> {
	const { options, backends } = context;
	return {
		getPluginInfo: async () => ({ name: options.driverName, vendorVersion: options.version, manifest: {} }),
		getPluginCapabilities: async () => ({ capabilities: pluginCapabilities(context) }),
		/** Ready as soon as it answers: what it needs of the host was looked at before. */
		probe: async () => ({ ready: backends.available.length > 0 }),
	};
}

function pluginCapabilities({ options, backends }: Context): PluginCapability[] {
	const services = [
		...(options.role === 'node' ? [] : [Service.CONTROLLER_SERVICE, Service.GROUP_CONTROLLER_SERVICE, Service.SNAPSHOT_METADATA_SERVICE]),
		Service.VOLUME_ACCESSIBILITY_CONSTRAINTS,
		...(options.csi113 ? [Service.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS] : []),
	];
	const online = backends.available.every((b) =>
		backends.fileSystems.every((fsType) => b.growsOnline({ ...ANY, backend: b.kind, fsType })),
	);
	return [
		...services.map((type): PluginCapability => ({ type: { $case: 'service', value: { type } } })),
		{ type: { $case: 'volumeExpansion', value: { type: online ? Expansion.ONLINE : Expansion.OFFLINE } } },
	];
}

const ANY = { access: 'mount', sizeBytes: 0 } as const;
