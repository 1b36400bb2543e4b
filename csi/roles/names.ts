/** The sidecar roles, by upstream's names of them. */
export type RoleName =
	| 'provisioner'
	| 'attacher'
	| 'resizer'
	| 'snapshotter'
	| 'snapshot-controller'
	| 'health-monitor'
	| 'liveness-probe'
	| 'node-driver-registrar';

export const ROLE_NAMES: readonly RoleName[] = [
	'provisioner',
	'attacher',
	'resizer',
	'snapshotter',
	'snapshot-controller',
	'health-monitor',
	'liveness-probe',
	'node-driver-registrar',
];

/** Those that work on objects of the API, for one driver or for all. */
export type ApiRoleName = Exclude<RoleName, 'liveness-probe' | 'node-driver-registrar'>;

/** What upstream's sidecars call their leases. */
export function leaseName(role: ApiRoleName, driver: string): string {
	const sanitized = driver.replaceAll(/[^a-zA-Z0-9-]/g, '-');
	switch (role) {
		case 'provisioner':
			return driver.replaceAll('/', '-');
		case 'attacher':
			return `external-attacher-leader-${driver}`;
		case 'resizer':
			return `external-resizer-${sanitized.endsWith('-') ? `${sanitized}X` : sanitized}`;
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
