/** Backups of clusters that cannot have one: what is said, and that nothing is made. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { writeClusterState, type ClusterState } from './data-folder.ts';
import { backUpCluster, checkCluster, restoreCluster } from './database.ts';

const state: ClusterState = { name: 'c', port: 1, kubeletPort: 2, podSubnet: '10.1.0.0/24', serviceSubnet: '10.2.0.0/24', nodeName: 'n' };
const etcd = { type: 'etcd', endpoints: ['http://a:2379', 'http://b:2379'] } as const;

for (const [what, kept, say] of [
	['there is no cluster', undefined, [/There is no cluster "c" in/, /There is no cluster "c" in/, /There is no cluster "c" in/]],
	[
		'its objects are in etcd',
		{ ...state, etcd },
		[
			/keeps its objects in etcd: back it up with "etcdctl --endpoints http:\/\/a:2379,http:\/\/b:2379 snapshot save FILE"\./,
			/keeps its objects in etcd: restore it with "etcdutl snapshot restore FILE"/,
			/keeps its objects in etcd: ask it with "etcdctl --endpoints http:\/\/a:2379,http:\/\/b:2379 endpoint health"\./,
		],
	],
	[
		'it never ran',
		state,
		[/There is no database ".*state\.db"/, /There is no database ".*copy\.db"/, /There is no database ".*state\.db"/],
	],
] as const)
	test(`backup, restore and check where ${what}`, async (t) => {
		const dataDir = await mkdtemp(join(tmpdir(), 'kubeling-database-'));
		try {
			if (kept !== undefined) await writeClusterState(dataDir, kept);
			const before = await readdir(dataDir);
			const [cluster, copy] = [{ name: 'c', dataDir }, join(dataDir, 'copy.db')];
			await t.throwsAsync(backUpCluster(cluster, copy), { message: say[0] });
			await t.throwsAsync(restoreCluster(cluster, copy), { message: say[1] });
			await t.throwsAsync(checkCluster(cluster), { message: say[2] });
			t.deepEqual(await readdir(dataDir), before);
		} finally {
			await rm(dataDir, { recursive: true });
		}
	});
