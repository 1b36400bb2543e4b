/** What the Node and its CSINode say of the drivers on this node. The first half is pure. */
import type { CSINode, CSINodeDriver, Node } from '../../api/gen/types.ts';
import { CSI_NODES, NODES } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { NodeGetInfoResponse } from '../../wire/gen/csi.ts';
import { isNotFound } from '../volume/objects.ts';

const NODE_ID = 'csi.volume.kubernetes.io/nodeid';
/** Volumes of plugins that were once in the tree are counted as their CSI drivers'. */
const MIGRATED = 'storage.alpha.kubernetes.io/migrated-plugins';
const MIGRATED_PLUGINS = ['aws-ebs', 'azure-disk', 'azure-file', 'cinder', 'gce-pd', 'portworx-volume', 'vsphere-volume']
	.map((name) => `kubernetes.io/${name}`)
	.join(',');

/** The driver's part of the Node: labels and annotation; undefined when the Node has them. Throws when a label has another value. */
export function nodeChanges(node: Node, driver: string, info: NodeGetInfoResponse | undefined): object | undefined {
	const ids = JSON.parse(node.metadata.annotations?.[NODE_ID] || '{}') as Record<string, string>;
	const { [driver]: before, ...others } = ids;
	const after = info === undefined ? others : { ...others, [driver]: info.nodeId };
	const labels: Record<string, string> = {};
	for (const [key, value] of Object.entries(info?.accessibleTopology?.segments ?? {})) {
		const held = node.metadata.labels?.[key];
		if (held !== undefined && held !== value)
			throw new AppError(
				'FailedPrecondition',
				`detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${held}"`,
			);
		if (held === undefined) labels[key] = value;
	}
	if (before === info?.nodeId && Object.keys(labels).length === 0) return undefined;
	const annotation = Object.keys(after).length === 0 ? null : JSON.stringify(after);
	return { metadata: { annotations: { [NODE_ID]: annotation }, labels } };
}

/** The CSINode with the driver, or without it; undefined when it is so already. */
export function withDriver(csiNode: CSINode, name: string, info: NodeGetInfoResponse | undefined): CSINode | undefined {
	// Go's API server says null for none.
	const drivers = (csiNode.spec.drivers as CSINodeDriver[] | null) ?? [];
	const others = drivers.filter((d) => d.name !== name);
	const wanted = info === undefined ? undefined : entryOf(name, info);
	if (JSON.stringify(drivers.find((d) => d.name === name)) === JSON.stringify(wanted)) return undefined;
	return { ...csiNode, spec: { drivers: wanted === undefined ? others : [...others, wanted] } };
}

function entryOf(name: string, { nodeId, accessibleTopology, maxVolumesPerNode }: NodeGetInfoResponse): CSINodeDriver {
	return {
		...{ name, nodeID: nodeId, topologyKeys: Object.keys(accessibleTopology?.segments ?? {}).toSorted((a, b) => (a < b ? -1 : 1)) },
		...(maxVolumesPerNode > 0n ? { allocatable: { count: Math.min(Number(maxVolumesPerNode), 2 ** 31 - 1) } } : {}),
	};
}

const RETRY = { initialMs: 10, maxMs: 1000, factor: 3 };
const TRIES = 12;

interface Where {
	readonly client: Client;
	readonly clock: Clock;
	readonly nodeName: string;
}

/** Makes the CSINode, which the scheduler waits for, with no driver. */
export function ensureCsiNode(where: Where, signal: AbortSignal): Promise<void> {
	return retrying(where.clock, { initialMs: 100, maxMs: 5000 }, signal, async () => void (await readCsiNode(where, signal)));
}

/** Writes what the driver told of this node; of no info: that it is gone. */
export async function writeDriver(where: Where, driver: string, info: NodeGetInfoResponse | undefined, signal: AbortSignal): Promise<void> {
	const { client, clock, nodeName } = where;
	const again = (error: unknown, attempt: number): boolean =>
		attempt < TRIES && (isNotFound(error) || (error instanceof StatusError && [409, 422].includes(error.httpCode)));
	const updateNode = async (): Promise<void> => {
		const node = await client.get(NODES, nodeName, { signal });
		const changes = nodeChanges(node, driver, info);
		if (changes !== undefined) await client.patch(NODES, nodeName, { type: 'merge', body: changes }, { signal });
	};
	const updateCsiNode = async (): Promise<void> => {
		const changed = withDriver(await readCsiNode(where, signal), driver, info);
		if (changed !== undefined) await client.update(CSI_NODES, changed, { signal });
	};
	const write = async (what: string, work: () => Promise<void>): Promise<void> => {
		await retrying(clock, RETRY, signal, work, again).catch((cause: Error) => {
			throw new AppError('Unavailable', `error updating ${what} object with CSI driver node info: ${cause.message}`, { cause });
		});
	};
	await write('Node', updateNode);
	await write('CSINode', updateCsiNode);
}

async function readCsiNode({ client, nodeName }: Where, signal: AbortSignal): Promise<CSINode> {
	try {
		return await client.get(CSI_NODES, nodeName, { signal });
	} catch (error) {
		if (!isNotFound(error)) throw error;
	}
	const { uid = '' } = (await client.get(NODES, nodeName, { signal })).metadata;
	const made: CSINode = {
		metadata: {
			name: nodeName,
			annotations: { [MIGRATED]: MIGRATED_PLUGINS },
			ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }],
		},
		spec: { drivers: [] },
	};
	return client.create(CSI_NODES, made, { signal });
}
