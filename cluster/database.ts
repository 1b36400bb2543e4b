/** Copies of what a cluster keeps: its database backed up while it runs, put back while it does not, and checked. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { backUpDatabase, checkDatabase, restoreDatabase, type DatabaseFacts } from '../controlplane/storage/sqlite-backup.ts';
import { readClusterState } from './data-folder.ts';
import { lockDataFolder } from './lock.ts';

export type { DatabaseFacts } from '../controlplane/storage/sqlite-backup.ts';

interface WhichCluster {
	readonly name: string;
	readonly dataDir: string;
}

/** A consistent copy of all objects in one file; the cluster may run. AppError with the next step. */
export async function backUpCluster(cluster: WhichCluster, to: string): Promise<DatabaseFacts> {
	const path = await databaseOf(cluster, 'backup');
	await requireDatabase(path);
	return backUpDatabase(path, to);
}

/** Puts a copy in the place of all objects of a cluster that is stopped. `replaced` is where what was there is kept. */
export async function restoreCluster(
	cluster: WhichCluster,
	from: string,
): Promise<DatabaseFacts & { readonly replaced: string | undefined }> {
	const path = await databaseOf(cluster, 'restore');
	await using _lock = await lockDataFolder(cluster.dataDir);
	const present = await exists(path);
	return { ...restoreDatabase(from, path), replaced: present ? `${path}.replaced` : undefined };
}

/** Reads a copy, or the database of a cluster, and resolves with what is in it. AppError DataLoss says what is wrong with it. */
export async function checkCluster(cluster: WhichCluster, file?: string): Promise<DatabaseFacts & { readonly path: string }> {
	const path = file ?? (await databaseOf(cluster, 'check'));
	if (file === undefined) await requireDatabase(path);
	return { ...checkDatabase(path), path };
}

type Purpose = 'backup' | 'restore' | 'check';

/** What etcd's own tools do for it. */
const ETCD_COMMANDS: Readonly<Record<Purpose, (endpoints: string) => string>> = {
	backup: (endpoints) => `back it up with "etcdctl --endpoints ${endpoints} snapshot save FILE"`,
	restore: () => 'restore it with "etcdutl snapshot restore FILE" (a file of "etcdctl snapshot save")',
	check: (endpoints) => `ask it with "etcdctl --endpoints ${endpoints} endpoint health"`,
};

async function databaseOf({ name, dataDir }: WhichCluster, purpose: Purpose): Promise<string> {
	const state = await readClusterState(dataDir);
	if (state === undefined)
		throw new AppError('NotFound', `There is no cluster "${name}" in ${dataDir}; if it is elsewhere, say so with --data-dir`);
	if (state.etcd !== undefined) {
		const endpoints = state.etcd.endpoints.join(',');
		throw new AppError('FailedPrecondition', `Cluster "${name}" keeps its objects in etcd: ${ETCD_COMMANDS[purpose](endpoints)}.`);
	}
	return join(dataDir, 'store', 'state.db');
}

async function requireDatabase(path: string): Promise<void> {
	if (!(await exists(path)))
		throw new AppError('NotFound', `There is no database "${path}"; put a backup there with "kubeling restore FILE"`);
}

async function exists(path: string): Promise<boolean> {
	try {
		await access(path);
		return true;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT') return false;
		throw new AppError('PermissionDenied', `Cannot read "${path}" (${code}). The cluster's files belong to root: run with sudo.`, {
			cause: error,
		});
	}
}
