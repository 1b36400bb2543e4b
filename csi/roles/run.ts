/** Roles as one Service: connected to their driver, with one set of informers, each for itself or each under a lease. */
import type { BackoffPolicy } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createMetrics, type Registry } from '../../base/metrics.ts';
import { runServices, type Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { createLeaderElection, type LeaderElection } from '../../client/leader.ts';
import { createAttacher, type AttacherOptions } from './attacher/attacher.ts';
import { linkDriver, type DriverLink } from './driver-link.ts';
import { createDiagnostics, type DiagnosticsOptions } from './diagnostics.ts';
import { createHealthMonitor, type HealthMonitorOptions } from './health-monitor.ts';
import { componentName, leaseName, type ApiRoleName } from './names.ts';
import type { ProvisionerOptions } from './provisioner/options.ts';
import { createProvisioner } from './provisioner/provisioner.ts';
import { createResizer, type ResizerOptions } from './resizer/resizer.ts';
import type { ControllerDeps } from './role.ts';
import { createSnapshotController } from './snapshot-controller/snapshot-controller.ts';
import { createSnapshotter, type SnapshotterOptions } from './snapshotter/snapshotter.ts';

export interface RolesOptions {
	readonly roles: readonly ApiRoleName[];
	/** --csi-address; the snapshot controller needs none. */
	readonly address: string;
	/** --timeout */
	readonly timeoutMs: number;
	/** --worker-threads */
	readonly workers: number;
	/** --retry-interval-start, --retry-interval-max */
	readonly backoff: BackoffPolicy;
	/** --leader-election: where the leases are; undefined: nobody else does the same. */
	readonly leaseNamespace?: string | undefined;
	/** --http-endpoint: where metrics and the health of leases are told. */
	readonly diagnostics?: DiagnosticsOptions | undefined;
	/** Unique among those that contend for a lease. */
	readonly identity: string;
	readonly provisioner?: Partial<ProvisionerOptions>;
	readonly attacher?: Partial<AttacherOptions>;
	readonly resizer?: Partial<ResizerOptions>;
	readonly snapshotter?: Partial<SnapshotterOptions>;
	readonly healthMonitor?: Partial<HealthMonitorOptions>;
}

export interface RolesDeps {
	/** Reads for all roles, and holds their leases. */
	readonly client: Client;
	/** Acts as the role; `client` unless told. */
	readonly clientOf?: (role: ApiRoleName) => Client;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Registry;
}

/** Ready once its caches are filled; at once where it contends for leases. */
export function createRoles(options: RolesOptions, deps: RolesDeps, after: readonly string[] = []): Service {
	return {
		name: 'csi-roles',
		after,
		async run(signal, ready) {
			try {
				const { address, timeoutMs } = options;
				const { clock, metrics = options.diagnostics && createMetrics() } = deps;
				const log = deps.log.with({ part: 'csi-roles' });
				const alone = options.roles.every((role) => role === 'snapshot-controller');
				using driver = alone ? undefined : await linkDriver({ address, timeoutMs, clock, log, metrics }, signal);
				await runAll(options, { ...deps, log, ...(metrics && { metrics }) }, driver, signal, ready);
			} catch (error) {
				if (!signal.aborted) throw error;
			}
		},
	};
}

async function runAll(
	options: RolesOptions,
	deps: RolesDeps,
	driver: DriverLink | undefined,
	signal: AbortSignal,
	ready: () => void,
): Promise<void> {
	const { leaseNamespace, roles, identity } = options;
	const name = driver?.name ?? '';
	const told = (elections: readonly LeaderElection[]): readonly Service[] =>
		options.diagnostics === undefined || deps.metrics === undefined
			? []
			: [createDiagnostics(options.diagnostics, deps.metrics, elections)];
	if (leaseNamespace === undefined) return runServices([...told([]), ...servicesOf(options, deps, driver, roles)], signal, ready);
	const elections = roles.map((role) =>
		createLeaderElection({
			...deps,
			lease: `${leaseNamespace}/${leaseName(role, name)}`,
			identity,
			lead: (leading) => runServices(servicesOf(options, deps, driver, [role]), leading),
		}),
	);
	await runServices([...told(elections), ...elections], signal, ready);
}

function servicesOf(
	options: RolesOptions,
	deps: RolesDeps,
	driver: DriverLink | undefined,
	roles: readonly ApiRoleName[],
): readonly Service[] {
	const informers = new Informers({ ...deps, name: 'csi-informers' });
	const { workers, backoff } = options;
	const made = roles.flatMap((role) => {
		const client = deps.clientOf?.(role) ?? deps.client;
		const recorder = createRecorder({ ...deps, client, component: componentName(role, driver?.name ?? '') });
		return [recorder, ...roleServices(role, options, { ...deps, client, informers, recorder, workers, backoff }, driver)];
	});
	return [informers, ...made];
}

function roleServices(role: ApiRoleName, options: RolesOptions, deps: ControllerDeps, driver: DriverLink | undefined): readonly Service[] {
	if (role === 'snapshot-controller' || driver === undefined) return createSnapshotController(deps);
	switch (role) {
		case 'provisioner':
			return createProvisioner({ ...deps, driver }, options.provisioner);
		case 'attacher':
			return createAttacher({ ...deps, driver }, options.attacher);
		case 'resizer':
			return createResizer({ ...deps, driver }, options.resizer);
		case 'snapshotter':
			return createSnapshotter({ ...deps, driver }, options.snapshotter);
		case 'health-monitor':
			return createHealthMonitor({ ...deps, driver }, options.healthMonitor);
	}
}
