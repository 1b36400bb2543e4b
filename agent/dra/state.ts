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
	/** Of the machine when it was written. */
	readonly bootId: string;
	readonly entries: readonly PreparedClaim[];
}

/** By "namespace/name". What was prepared before the machine started anew must be prepared again. */
export async function readClaims(rootDir: string, bootId: string): Promise<Map<string, PreparedClaim>> {
	const file = (await readState<File>(join(rootDir, FILE), VERSION)) ?? {};
	const kept = (claim: PreparedClaim): PreparedClaim => (file.bootId === bootId ? claim : { ...claim, devices: undefined });
	return new Map((file.entries ?? []).map((claim) => [`${claim.namespace}/${claim.name}`, kept(claim)]));
}

export async function writeClaims(rootDir: string, bootId: string, claims: ReadonlyMap<string, PreparedClaim>): Promise<void> {
	await writeState(join(rootDir, FILE), VERSION, { bootId, entries: [...claims.values()] } satisfies File);
}
