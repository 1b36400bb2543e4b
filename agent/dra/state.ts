/** Which claims are prepared for which pods, kept over restarts in dra_manager_state as upstream's kubelet keeps it (cm/dra/state). */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { corrupted, readStateFile, writeStateFile } from '../checkpoint/file.ts';

const FILE = 'dra_manager_state';
const KIND = { kind: 'DRACheckpoint', apiVersion: 'checkpoint.dra.kubelet.k8s.io/v1' };

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

interface Device {
	readonly PoolName: string;
	readonly DeviceName: string;
	readonly ShareID?: string | null;
	readonly RequestNames?: readonly string[] | null;
	readonly CDIDeviceIDs?: readonly string[] | null;
}

interface Claim {
	readonly ClaimUID: string;
	readonly ClaimName: string;
	readonly Namespace: string;
	readonly PodUIDs: Readonly<Record<string, object>> | null;
	readonly DriverState: Readonly<Record<string, { readonly Devices: readonly Device[] | null }>> | null;
	/** Ours, which upstream passes over: the machine's run in which every driver had prepared it. */
	readonly preparedInBoot?: string;
}

interface Data {
	readonly ClaimInfoStateList: readonly Claim[] | null;
}

interface Checkpoint {
	/** The JSON text of Data. */
	readonly Data: string;
	/** CRC-32 of the text. */
	readonly Checksum: number;
}

/** The form of before. */
interface Old {
	readonly bootId: string;
	readonly entries: readonly PreparedClaim[];
}

/** By "namespace/name". What was prepared before the machine started anew, or by upstream's kubelet, must be prepared again. */
export async function readClaims(rootDir: string, bootId: string): Promise<Map<string, PreparedClaim>> {
	const path = join(rootDir, FILE);
	const file = await readStateFile<Checkpoint, Old>(path);
	const claims = file === undefined ? [] : file.form === 'old' ? ofOld(file.state, bootId) : ofUpstream(path, file.state, bootId);
	return new Map(claims.map((claim) => [`${claim.namespace}/${claim.name}`, claim]));
}

function ofOld(state: Partial<Old>, bootId: string): readonly PreparedClaim[] {
	return (state.entries ?? []).map((claim) => (state.bootId === bootId ? claim : { ...claim, devices: undefined }));
}

function ofUpstream(path: string, { Data: text = '', Checksum }: Partial<Checkpoint>, bootId: string): readonly PreparedClaim[] {
	if (crc32(text) !== Checksum) throw corrupted(path);
	return ((JSON.parse(text) as Data).ClaimInfoStateList ?? []).map((claim) => {
		const drivers = Object.entries(claim.DriverState ?? {});
		return {
			namespace: claim.Namespace,
			name: claim.ClaimName,
			uid: claim.ClaimUID,
			drivers: drivers.map(([driver]) => driver),
			pods: Object.keys(claim.PodUIDs ?? {}),
			devices:
				claim.preparedInBoot === bootId
					? drivers.flatMap(([driver, { Devices }]) => (Devices ?? []).map((d) => deviceOf(driver, d)))
					: undefined,
		};
	});
}

function deviceOf(driver: string, { PoolName, DeviceName, ShareID, RequestNames, CDIDeviceIDs }: Device): PreparedDevice {
	const share = typeof ShareID === 'string' ? { shareId: ShareID } : {};
	return { driver, pool: PoolName, device: DeviceName, ...share, requests: RequestNames ?? [], cdi: CDIDeviceIDs ?? [] };
}

export async function writeClaims(rootDir: string, bootId: string, claims: ReadonlyMap<string, PreparedClaim>): Promise<void> {
	const data: Data = { ...KIND, ClaimInfoStateList: [...claims.values()].map((claim) => stored(claim, bootId)) };
	const text = JSON.stringify(data);
	await writeStateFile(join(rootDir, FILE), { Data: text, Checksum: crc32(text) } satisfies Checkpoint);
}

function stored({ namespace, name, uid, drivers, pods, devices }: PreparedClaim, bootId: string): Claim {
	const own = (driver: string): readonly Device[] | null =>
		devices
			?.filter((device) => device.driver === driver)
			.map(({ pool, device, shareId, requests, cdi }) => ({
				PoolName: pool,
				DeviceName: device,
				ShareID: shareId ?? null,
				RequestNames: requests,
				CDIDeviceIDs: cdi,
			})) ?? null;
	return {
		...{ ClaimUID: uid, ClaimName: name, Namespace: namespace },
		PodUIDs: Object.fromEntries(pods.map((pod) => [pod, {}])),
		DriverState: Object.fromEntries(drivers.map((driver) => [driver, { Devices: own(driver) }])),
		...(devices === undefined ? {} : { preparedInBoot: bootId }),
	};
}
