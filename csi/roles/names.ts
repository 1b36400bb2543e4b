/** The sidecar roles, by upstream's names of them. */
export const ROLE_NAMES = [
	'provisioner',
	'attacher',
	'resizer',
	'snapshotter',
	'snapshot-controller',
	'health-monitor',
	'liveness-probe',
	'node-driver-registrar',
] as const;

export type RoleName = (typeof ROLE_NAMES)[number];

/** Those that work on objects of the API, for one driver or for all. */
export type ApiRoleName = Exclude<RoleName, 'liveness-probe' | 'node-driver-registrar'>;

/** A driver's name in a name that takes no dots: "local-csi-kubeling-dev". */
export function sanitized(driver: string): string {
	const name = driver.replaceAll(/[^a-zA-Z0-9-]/g, '-');
	return name.endsWith('-') ? `${name}X` : name;
}

/** What upstream's sidecars call their leases. */
export function leaseName(role: ApiRoleName, driver: string): string {
	switch (role) {
		case 'provisioner':
			return driver.replaceAll('/', '-');
		case 'attacher':
			return `external-attacher-leader-${driver}`;
		case 'resizer':
			return `external-resizer-${sanitized(driver)}`;
		case 'snapshotter':
			return `external-snapshotter-leader-${driver}`;
		case 'snapshot-controller':
			return 'snapshot-controller-leader';
		case 'health-monitor':
			return `external-health-monitor-leader-${driver}`;
	}
}

/** Who reports its events. */
export function componentName(role: ApiRoleName, driver: string): string {
	switch (role) {
		case 'provisioner':
			return driver;
		case 'attacher':
			return `csi-attacher ${driver}`;
		case 'resizer':
			return `external-resizer ${driver}`;
		case 'snapshotter':
			return `csi-snapshotter ${driver}`;
		case 'snapshot-controller':
			return 'snapshot-controller';
		case 'health-monitor':
			return 'csi-external-health-monitor-controller';
	}
}
