/** Who has which devices, kept over restarts in device-plugins/kubelet_internal_checkpoint: upstream's name and fields of it. */
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { readState, writeState } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { ContainerAllocateResponse } from '../../wire/gen/deviceplugin.ts';
import { Assignments } from '../topology/assignments.ts';

const VERSION = 1;
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

interface Entry {
	readonly PodUID: string;
	readonly ContainerName: string;
	readonly ResourceName: string;
	readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
	/** Base64 of the plugin's answer. */
	readonly AllocResp: string;
}

interface File {
	readonly Data: {
		readonly PodDeviceEntries?: readonly Entry[] | null;
		readonly RegisteredDevices?: Readonly<Record<string, readonly string[]>> | null;
	};
}

/** Without it pods that run keep their devices, but who has which is not known; as upstream's, a broken one must not keep the node from starting. */
export async function readDevices(folder: string, log: Log): Promise<DeviceState> {
	try {
		return await read(folder);
	} catch (error) {
		log.warn('who has which devices is not known any more', { reason: messageOf(error) });
		return { held: new Assignments(), registered: new Map() };
	}
}

async function read(folder: string): Promise<DeviceState> {
	const { Data } = (await readState<File>(join(folder, FILE), VERSION)) ?? {};
	const held = new Assignments<ContainerDevices>();
	for (const entry of Data?.PodDeviceEntries ?? []) {
		const byNode = new Map(Object.entries(entry.DeviceIDs).map(([node, ids]) => [Number(node), ids]));
		const devices = {
			ids: [...new Set([...byNode.values()].flat())],
			byNode,
			response: ContainerAllocateResponse.decode(Buffer.from(entry.AllocResp, 'base64')),
		};
		const before = held.get(entry.PodUID, entry.ContainerName) ?? new Map<string, HeldDevices>();
		held.set(entry.PodUID, entry.ContainerName, new Map([...before, [entry.ResourceName, devices]]));
	}
	return { held, registered: new Map(Object.entries(Data?.RegisteredDevices ?? {})) };
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
	const Data = { PodDeviceEntries: entries, RegisteredDevices: Object.fromEntries(registered) };
	await writeState(join(folder, FILE), VERSION, { Data } satisfies File);
}
