/**
 * A cluster's data folder: where everything durable of it lives, locked by one process at a time (lock.ts), with a version that an
 * older program refuses. Layout: `cluster.json` (this file's state), `lock`, `pki/`, `store/`, `node/`, `cri/`, `logs/`.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readState, writeState } from '../base/files.ts';
import type { ApiserverFlags } from './parts/apiserver-flags.ts';
import type { EtcdConfig } from './parts/config.ts';

/** What a cluster keeps of itself, so that `up` resumes the same one. */
export interface ClusterState {
	readonly name: string;
	readonly port: number;
	readonly kubeletPort: number;
	readonly podSubnet: string;
	readonly serviceSubnet: string;
	readonly nodeName: string;
	/** Absent: objects are in a database of the folder. */
	readonly etcd?: EtcdConfig | undefined;
	readonly encryptionConfigFile?: string | undefined;
	readonly schedulerConfigFile?: string | undefined;
	readonly kubeletConfigFile?: string | undefined;
	readonly kubeletConfigDir?: string | undefined;
	readonly apiserverFlags?: ApiserverFlags | undefined;
}

const VERSION = 1;

/** Root keeps clusters under /var/lib, others in their home (XDG base directory). */
export function defaultDataDir(name: string, env: NodeJS.ProcessEnv = process.env, uid: number | undefined = process.getuid?.()): string {
	if (uid === 0) return join('/var/lib/kubeling', name);
	return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'kubeling', name);
}

export async function readClusterState(dataDir: string): Promise<ClusterState | undefined> {
	const state = await readState<ClusterState>(join(dataDir, 'cluster.json'), VERSION);
	return state as ClusterState | undefined;
}

export async function writeClusterState(dataDir: string, state: ClusterState): Promise<void> {
	await writeState(join(dataDir, 'cluster.json'), VERSION, state);
}
