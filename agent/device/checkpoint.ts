/** Who has which devices, kept over restarts in device-plugins/kubelet_internal_checkpoint as upstream's kubelet keeps it (cm/devicemanager/checkpoint). */
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { ContainerAllocateResponse } from '../../wire/gen/deviceplugin.ts';
import { corrupted, readStateFile, writeStateFile } from '../checkpoint/file.ts';
import { fnv32a, goMap, goNumberMap, GoStruct, printed } from '../checkpoint/go-value.ts';
import { Assignments } from '../topology/assignments.ts';

const FILE = 'kubelet_internal_checkpoint';

/** Of one resource. */
export interface HeldDevices {
	readonly ids: readonly string[];
	/** By NUMA node, -1 for those that are near none. */
	readonly byNode: ReadonlyMap<number, readonly string[]>;
	readonly response: ContainerAllocateResponse;
}

/** By resource. */
export type ContainerDevices = ReadonlyMap<string, HeldDevices>;

export interface DeviceState {
	readonly held: Assignments<ContainerDevices>;
	/** Devices by resource that plugins had told of. */
	readonly registered: ReadonlyMap<string, readonly string[]>;
}

type Lists = Readonly<Record<string, readonly string[] | null>>;

interface Entry {
	readonly PodUID: string;
	readonly ContainerName: string;
	readonly ResourceName: string;
	readonly DeviceIDs: Lists | null;
	/** Base64 of the plugin's answer. */
	readonly AllocResp: string | null;
}

interface Data {
	readonly PodDeviceEntries: readonly Entry[] | null;
	readonly RegisteredDevices: Lists | null;
}

interface Checkpoint {
	readonly Data: Data;
	readonly Checksum: number;
}

/** Without it pods that run keep their devices, but who has which is not known; as upstream's, a broken one must not keep the node from starting. */
export async function readDevices(folder: string, log: Log): Promise<DeviceState> {
	try {
		return await read(join(folder, FILE));
	} catch (error) {
		log.warn('who has which devices is not known any more', { reason: messageOf(error) });
		return { held: new Assignments(), registered: new Map() };
	}
}

async function read(path: string): Promise<DeviceState> {
	const file = await readStateFile<Checkpoint, Checkpoint>(path);
	const data: Data = { PodDeviceEntries: null, RegisteredDevices: null, ...file?.state.Data };
	if (file?.form === 'upstream' && file.state.Checksum !== checksumOf(data)) throw corrupted(path);
	const held = new Assignments<ContainerDevices>();
	for (const entry of data.PodDeviceEntries ?? []) {
		if (typeof entry.PodUID !== 'string') throw corrupted(path);
		const byNode = new Map(Object.entries(entry.DeviceIDs ?? {}).map(([node, ids]) => [Number(node), ids ?? []]));
		const devices = {
			ids: [...new Set([...byNode.values()].flat())],
			byNode,
			response: ContainerAllocateResponse.decode(Buffer.from(entry.AllocResp ?? '', 'base64')),
		};
		const before = held.get(entry.PodUID, entry.ContainerName) ?? new Map<string, HeldDevices>();
		held.set(entry.PodUID, entry.ContainerName, new Map([...before, [entry.ResourceName, devices]]));
	}
	const registered = Object.entries(data.RegisteredDevices ?? {}).map(([resource, ids]) => [resource, ids ?? []] as const);
	return { held, registered: new Map(registered) };
}

export async function writeDevices(folder: string, { held, registered }: DeviceState): Promise<void> {
	const entries = held.holders().flatMap((uid) =>
		[...held.of(uid)].flatMap(([name, devices]) =>
			[...devices].map(
				([resource, { byNode, response }]): Entry => ({
					PodUID: uid,
					ContainerName: name,
					ResourceName: resource,
					DeviceIDs: Object.fromEntries(byNode),
					AllocResp: Buffer.from(ContainerAllocateResponse.encode(response).finish()).toString('base64'),
				}),
			),
		),
	);
	const data = { PodDeviceEntries: entries, RegisteredDevices: Object.fromEntries(registered) };
	await writeStateFile(join(folder, FILE), { Data: data, Checksum: checksumOf(data) } satisfies Checkpoint);
}

/** Pure. */
function checksumOf({ PodDeviceEntries, RegisteredDevices }: Data): number {
	const entry = ({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: Entry): GoStruct =>
		new GoStruct([
			['PodUID', 'string', PodUID],
			['ContainerName', 'string', ContainerName],
			['ResourceName', 'string', ResourceName],
			['DeviceIDs', 'checkpoint.DevicesPerNUMA', goNumberMap(DeviceIDs ?? null, (ids) => ids)],
			['AllocResp', '[]uint8', AllocResp === null ? null : [...Buffer.from(AllocResp, 'base64')]],
		]);
	const value = new GoStruct([
		['PodDeviceEntries', '[]checkpoint.PodDevicesEntry', PodDeviceEntries?.map(entry) ?? null],
		['RegisteredDevices', 'map[string][]string', goMap(RegisteredDevices, (ids) => ids)],
	]);
	return fnv32a(printed('checkpoint.checkpointData', value));
}
