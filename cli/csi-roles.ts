/** `kubeling csi ROLE`: the sidecar roles beside any driver, with upstream's flags. */
import { type Command, Option } from 'commander';
import type { RoleName } from '../cluster/csi-roles.ts';

type Flag = readonly [flag: string, what: string];

const ADDRESS: Flag = ['--csi-address <socket>', "the driver's (default: /run/csi/socket)"];
const API: readonly Flag[] = [
	['--kubeconfig <file>', "how to reach the cluster (default: the pod's service account)"],
	['--timeout <duration>', 'of one call of the driver (default: 10s, of the attacher 15s, of the snapshotter 1m)'],
	['--worker-threads <count>', 'objects worked on at once (default: 10)'],
	['--retry-interval-start <duration>', 'before the first retry; it doubles (default: 1s)'],
	['--retry-interval-max <duration>', 'between retries at most (default: 5m)'],
	['--http-endpoint <address>', 'where metrics and the health of leases are told, e.g. :8080 (default: nowhere)'],
	['--metrics-address <address>', 'the same by its old name'],
	['--metrics-path <path>', 'of metrics there (default: /metrics)'],
	['--leader-election', 'work only while holding a lease'],
	['--leader-election-namespace <namespace>', "where the lease is (default: the context's or the pod's)"],
];
const FS_TYPE: Flag = ['--default-fstype <type>', 'where a class or volume names none'];
const METADATA: Flag = ['--extra-create-metadata', 'tell the driver of the objects by parameters'];

const PROVISIONER: readonly Flag[] = [
	['--volume-name-prefix <prefix>', 'default: pvc'],
	['--strict-topology', 'tell the driver of the chosen node only'],
	['--immediate-topology <true|false>', 'tell it of all nodes where no node is chosen (default: true)'],
	['--controller-publish-readonly', 'volumes of ReadOnlyMany claims are published read-only'],
	['--enable-capacity', 'make CSIStorageCapacity objects'],
	['--capacity-namespace <namespace>', "of these (default: the context's or the pod's)"],
	['--capacity-poll-interval <duration>', 'default: 1m'],
	['--capacity-for-immediate-binding', 'also for classes that wait for no pod'],
];
const ATTACHER: readonly Flag[] = [['--reconcile-sync <duration>', 'how often attachments are compared with the driver (default: 1m)']];
const RESIZER: readonly Flag[] = [['--extra-modify-metadata', 'tell the driver of the objects by parameters']];
const SNAPSHOTTER: readonly Flag[] = [
	['--snapshot-name-prefix <prefix>', 'default: snapshot'],
	['--groupsnapshot-name-prefix <prefix>', 'default: groupsnapshot'],
];
const MONITOR: readonly Flag[] = [
	['--monitor-interval <duration>', 'for drivers that are asked for each volume (default: 1m)'],
	['--list-volumes-interval <duration>', 'for drivers that list them (default: 5m)'],
];

const ROLES: readonly (readonly [name: RoleName | 'roles', what: string, flags: readonly Flag[]])[] = [
	['provisioner', 'Make and delete volumes for claims (external-provisioner).', [ADDRESS, ...API, ...PROVISIONER, FS_TYPE, METADATA]],
	['attacher', 'Carry out VolumeAttachments (external-attacher).', [ADDRESS, ...API, ...ATTACHER, FS_TYPE]],
	['resizer', 'Grow and modify volumes with their claims (external-resizer).', [ADDRESS, ...API, ...RESIZER]],
	['snapshotter', 'Take and delete snapshots (csi-snapshotter).', [ADDRESS, ...API, ...SNAPSHOTTER, METADATA]],
	['snapshot-controller', 'Bind VolumeSnapshots and their contents, for all drivers.', API],
	['health-monitor', 'Tell of volumes that are abnormal (external-health-monitor).', [ADDRESS, ...API, ...MONITOR]],
	[
		'liveness-probe',
		'Answer GET /healthz for the driver (livenessprobe).',
		[ADDRESS, ['--health-port <port>', 'default: 9808'], ['--probe-timeout <duration>', 'default: 1s']],
	],
	[
		'node-driver-registrar',
		'Tell the kubelet of the driver.',
		[
			ADDRESS,
			['--kubelet-registration-path <socket>', "the driver's socket as the kubelet sees it"],
			['--plugin-registration-path <folder>', 'default: /registration'],
			['--timeout <duration>', 'default: 1s'],
		],
	],
	[
		'roles',
		'Several roles in one process.',
		[
			['--roles <names>', 'comma-separated'],
			ADDRESS,
			...API,
			...PROVISIONER,
			...ATTACHER,
			...RESIZER,
			...SNAPSHOTTER,
			...MONITOR,
			FS_TYPE,
			METADATA,
		],
	],
];

export function csiRoles(csi: Command): void {
	for (const [name, what, flags] of ROLES) {
		const command = csi.command(name).description(what);
		for (const [flag, text] of flags) command.option(flag, text);
		command
			.addOption(new Option('--log-level <level>', 'how much goes to the log').choices(['debug', 'info', 'warn', 'error']).default('info'))
			.action(async (given: Record<string, string | boolean>) => {
				const roles = name === 'roles' ? String(given['roles'] ?? '').split(',') : [name];
				await (await import('./verbs/csi-role.ts')).csiRole(roles as RoleName[], given);
			});
	}
}
