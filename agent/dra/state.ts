/** Which claims are prepared for which pods, kept over restarts in dra_manager_state: upstream's name of it. */
import { join } from 'node:path';
import { readState, writeState } from '../../base/files.ts';

const VERSION = 1;
const FILE = 'dra_manager_state';

export interface PreparedDevice {
	readonly driver: string;
	readonly pool: string;
	readonly device: string;
	readonly shareId?: string;
	/** Of the claim; all of them when empty. */
	readonly requests: readonly string[];
	readonly cdi: readonly string[];
}

export interface PreparedClaim {
	readonly namespace: string;
	readonly name: string;
	readonly uid: string;
	readonly drivers: readonly string[];
	readonly pods: readonly string[];
	/** Undefined until every driver has prepared it. */
	readonly devices: readonly PreparedDevice[] | undefined;
}

interface File {
	readonly entries: readonly PreparedClaim[];
}

/** By "namespace/name". */
export async function readClaims(rootDir: string): Promise<Map<string, PreparedClaim>> {
	const { entries = [] } = (await readState<File>(join(rootDir, FILE), VERSION)) ?? {};
	return new Map(entries.map((claim) => [`${claim.namespace}/${claim.name}`, claim]));
}

export async function writeClaims(rootDir: string, claims: ReadonlyMap<string, PreparedClaim>): Promise<void> {
	await writeState(join(rootDir, FILE), VERSION, { entries: [...claims.values()] } satisfies File);
}
