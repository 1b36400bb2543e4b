/** The administrator's access to a cluster, as its data folder holds it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { readClusterState } from './data-folder.ts';
import type { Access } from './kubeconfig.ts';

/** AppError NotFound when the folder holds no cluster. */
export async function readAccess(dataDir: string): Promise<Access> {
	const state = await readClusterState(dataDir);
	if (state === undefined) throw new AppError('NotFound', `There is no cluster in "${dataDir}"`);
	const [caPem, certPem, keyPem] = await Promise.all(
		['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFile(join(dataDir, 'pki', name), 'utf8')),
	);
	return { name: state.name, server: `https://127.0.0.1:${state.port}`, caPem: caPem ?? '', certPem: certPem ?? '', keyPem: keyPem ?? '' };
}
