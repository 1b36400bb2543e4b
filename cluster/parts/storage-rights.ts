/**
 * What the bundled sidecar roles may do: each acts as a service account of kube-system, with the rules that upstream ships for its sidecar and no more.
 * Ours patch finalizers of claims and snapshots where upstream's update the object. Secrets are not among them: the local driver takes none.
 */
import type { PolicyRule } from '../../api/gen/types.ts';
import type { Client } from '../../client/client.ts';
import type { ApiRoleName } from '../../csi/roles/names.ts';
import { grant } from './grant.ts';
import { KUBE_SYSTEM } from './kube-system.ts';

/** The roles that `up` runs. */
export const STORAGE_ROLES = ['provisioner', 'attacher', 'resizer', 'snapshotter', 'snapshot-controller', 'health-monitor'] as const;

type StorageRole = (typeof STORAGE_ROLES)[number] & ApiRoleName;

/** Verbs, group, resources. */
type Rule = readonly [verbs: string, group: string, resources: string];

const READ = 'get,list,watch';
const EVENTS: readonly Rule[] = [
	['create,patch', '', 'events'],
	['create,patch', 'events.k8s.io', 'events'],
];
const STORAGE = 'storage.k8s.io';
const SNAPSHOT = 'snapshot.storage.k8s.io';
const GROUP_SNAPSHOT = 'groupsnapshot.storage.k8s.io';

const RULES: Readonly<Record<StorageRole, readonly Rule[]>> = {
	provisioner: [
		[`${READ},create,patch,delete`, '', 'persistentvolumes'],
		[`${READ},update,patch`, '', 'persistentvolumeclaims'],
		[READ, '', 'nodes'],
		[READ, STORAGE, 'storageclasses,csinodes,volumeattachments,volumeattributesclasses'],
		[`${READ},create,update,patch,delete`, STORAGE, 'csistoragecapacities'],
		[`${READ},update,patch`, SNAPSHOT, 'volumesnapshots'],
		[READ, SNAPSHOT, 'volumesnapshotcontents'],
	],
	attacher: [
		[`${READ},patch`, '', 'persistentvolumes'],
		[READ, STORAGE, 'csinodes'],
		[`${READ},patch`, STORAGE, 'volumeattachments'],
		['patch', STORAGE, 'volumeattachments/status'],
	],
	resizer: [
		[`${READ},patch`, '', 'persistentvolumes'],
		[READ, '', 'persistentvolumeclaims,pods'],
		['patch', '', 'persistentvolumeclaims/status'],
		[READ, STORAGE, 'volumeattachments,volumeattributesclasses'],
	],
	snapshotter: [
		[READ, SNAPSHOT, 'volumesnapshotclasses'],
		[`${READ},update,patch`, SNAPSHOT, 'volumesnapshotcontents'],
		['update,patch', SNAPSHOT, 'volumesnapshotcontents/status'],
		[READ, GROUP_SNAPSHOT, 'volumegroupsnapshotclasses'],
		[`${READ},update,patch`, GROUP_SNAPSHOT, 'volumegroupsnapshotcontents'],
		['update,patch', GROUP_SNAPSHOT, 'volumegroupsnapshotcontents/status'],
	],
	'snapshot-controller': [
		[READ, '', 'persistentvolumes'],
		[`${READ},update,patch`, '', 'persistentvolumeclaims'],
		[READ, SNAPSHOT, 'volumesnapshotclasses'],
		[`${READ},create,update,patch,delete`, SNAPSHOT, 'volumesnapshots,volumesnapshotcontents'],
		['update,patch', SNAPSHOT, 'volumesnapshots/status,volumesnapshotcontents/status'],
		[READ, GROUP_SNAPSHOT, 'volumegroupsnapshotclasses'],
		[`${READ},create,update,patch,delete`, GROUP_SNAPSHOT, 'volumegroupsnapshotcontents'],
		[`${READ},update,patch`, GROUP_SNAPSHOT, 'volumegroupsnapshots'],
		['update,patch', GROUP_SNAPSHOT, 'volumegroupsnapshots/status,volumegroupsnapshotcontents/status'],
	],
	'health-monitor': [[READ, '', 'persistentvolumes,persistentvolumeclaims,nodes,pods']],
};

/** Whose informers all roles share: it reads what any of them does, and writes nothing. */
export const READER_ACCOUNT = 'csi-informers';

export function accountOf(role: ApiRoleName): string {
	return `csi-${role}`;
}

/** Pure: by account. */
function storageRights(): Readonly<Record<string, readonly PolicyRule[]>> {
	const ruleOf = ([verbs, group, resources]: Rule): PolicyRule => ({
		apiGroups: [group],
		resources: resources.split(','),
		verbs: verbs.split(','),
	});
	const all = Object.values(RULES).flat();
	const read = all.filter(([verbs]) => verbs.startsWith(READ)).map(([, group, resources]): Rule => [READ, group, resources]);
	return {
		[READER_ACCOUNT]: read.map(ruleOf),
		...Object.fromEntries(STORAGE_ROLES.map((role) => [accountOf(role), [...RULES[role], ...EVENTS].map(ruleOf)])),
	};
}

/** A ClusterRole "kubeling:ACCOUNT" for each, bound to it. */
export async function installRights(client: Client, signal: AbortSignal): Promise<void> {
	for (const [account, rules] of Object.entries(storageRights()))
		await grant(client, `kubeling:${account}`, rules, { kind: 'ServiceAccount', namespace: KUBE_SYSTEM, name: account }, signal);
}
