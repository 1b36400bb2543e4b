/**
 * Memory of the storage driver and all sidecar roles in one process: the part `kubeling storage`, as `up --isolate` runs it, against an API server in this
 * process that knows one node. Volumes live and go, claims are provisioned, attached and snapshotted, and stay.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PersistentVolume } from '../../api/gen/types.ts';
import {
	CSI_NODES,
	NODES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	SERVICE_ACCOUNTS,
	STORAGE_CLASSES,
	VOLUME_ATTACHMENTS,
} from '../../api/resources.ts';
import { SELECTED_NODE, STORAGE_PROVISIONER } from '../../api/storage/annotations.ts';
import { realClock as clock } from '../../base/clock.ts';
import { ignore } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { NODE_FLAGS, smallProcess } from '../../cluster/node-flags.ts';
import type { StorageConfig } from '../../cluster/parts/config.ts';
import { ControllerService, NodeService } from '../../csi/proto.ts';
import { VOLUME_SNAPSHOTS } from '../../csi/roles/snapshot-kinds.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import { issue } from '../../wire/tls/authority.ts';
import { LAUNCHER } from '../e2e/cluster.ts';
import { testApiServer } from '../fakes/api-server.ts';
import { Running } from '../tools/command.ts';
import { eventually } from '../tools/eventually.ts';
import { pssBytes, type Figure } from './figures.ts';

const MIB = 1024 ** 2;
const DRIVER = 'local.csi.kubeling.dev';
const NODE = 'bench';
/** What upstream's eight processes take, MiB. */
const UPSTREAM_MIB = 355;
/** Volumes of claims, each attached and with a snapshot. */
const CLAIMS = 20;
const SETTLED_MS = 5000;

export interface DriverCalls {
	readonly controller: GrpcClient<typeof ControllerService>;
	readonly node: GrpcClient<typeof NodeService>;
}

/** @param cycles volumes' lives by calls of the driver */
export async function memoryOfAll(dir: string, cycles: (driver: DriverCalls, dir: string) => Promise<void>): Promise<readonly Figure[]> {
	const stop = new AbortController();
	const at = join(dir, 'memory');
	await mkdir(join(at, 'registry'), { recursive: true });
	const { client, url, ca, authority, stopped } = await testApiServer({ port: 0, clock, log: noLog }, stop.signal);
	try {
		const { certPem, keyPem } = await issue(
			authority,
			{ commonName: 'bench', organizations: ['system:masters'], usages: ['client'], days: 1 },
			clock,
		);
		const file = async (name: string, text: string): Promise<string> => {
			await writeFile(join(at, name), text, { mode: 0o600 });
			return join(at, name);
		};
		const config: StorageConfig = {
			api: {
				server: url,
				caFile: await file('ca.crt', ca),
				certFile: await file('tls.crt', certPem),
				keyFile: await file('tls.key', keyPem),
			},
			nodeName: NODE,
			driver: {
				...{ driverName: DRIVER, socketPath: join(at, 'csi.sock'), dataDir: join(at, 'pool'), runDir: `/run/${basename(dir)}` },
				...{ nodeId: NODE, maxVolumesPerNode: 0, targetRoots: [at], registrationDir: join(at, 'registry') },
			},
		};
		const args = [...NODE_FLAGS, LAUNCHER, 'storage', '--config', await file('storage.json', JSON.stringify(config))];
		await using part = new Running(process.execPath, args, smallProcess(process.env));
		return await measured(client, config.driver.socketPath, part, (driver) => cycles(driver, at));
	} finally {
		stop.abort();
		await stopped;
	}
}

async function measured(
	client: Client,
	address: string,
	part: Running,
	cycles: (driver: DriverCalls) => Promise<void>,
): Promise<readonly Figure[]> {
	const present = ignore('AlreadyExists');
	const ready = [{ type: 'Ready', status: 'True' }] as const;
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } }).catch(present);
	const node = await client.create(NODES, { metadata: { name: NODE } });
	await client.update(NODES, { ...node, status: { ...node.status, conditions: [...ready] } }, { subresource: 'status' });
	await eventually('the default class', () => client.get(STORAGE_CLASSES, 'local').catch(ignore('NotFound')));
	await client.create(PERSISTENT_VOLUME_CLAIMS, claim(0));
	await part.waitFor(/starting the local driver/);
	const driver: DriverCalls = {
		controller: await grpcClient(ControllerService, { address, clock }),
		node: await grpcClient(NodeService, { address, clock }),
	};
	try {
		await tellOfNode(client, driver);
		await provisioned(client, 1);
		await sleep(SETTLED_MS);
		const fresh = await pssBytes(part.pid);
		await cycles(driver);
		for (let i = 1; i < CLAIMS; i++) await client.create(PERSISTENT_VOLUME_CLAIMS, claim(i));
		await useAll(client);
		await sleep(SETTLED_MS);
		const used = await pssBytes(part.pid);
		return [
			{ name: 'driver and all roles in one process, one volume, PSS MiB', value: fresh / MIB, floor: UPSTREAM_MIB },
			{
				name: `the same after all this, ${CLAIMS} volumes and snapshots, PSS MiB`,
				value: used / MIB,
				floor: UPSTREAM_MIB,
				goals: [{ of: 'value', atMost: 120 }],
			},
		];
	} finally {
		driver.controller.close();
		driver.node.close();
	}
}

/** As the kubelet does once the driver has registered. */
async function tellOfNode(client: Client, { node }: DriverCalls): Promise<void> {
	const info = await eventually('the driver', () => node.nodeGetInfo({}).catch(() => undefined));
	const segments = info.accessibleTopology?.segments ?? {};
	const known = await client.get(NODES, NODE);
	await client.update(NODES, { ...known, metadata: { ...known.metadata, labels: { ...known.metadata.labels, ...segments } } });
	await client.create(CSI_NODES, {
		metadata: { name: NODE },
		spec: { drivers: [{ name: DRIVER, nodeID: info.nodeId, topologyKeys: Object.keys(segments) }] },
	});
}

/** Chooses the node as the scheduler does: anew where the provisioner, which did not know it yet, gave the choice back. */
async function provisioned(client: Client, count: number): Promise<readonly PersistentVolume[]> {
	return eventually('all volumes', async () => {
		for (const { metadata, ...rest } of (await client.list(PERSISTENT_VOLUME_CLAIMS)).items) {
			if (metadata.annotations?.[SELECTED_NODE] !== undefined) continue;
			const annotations = { ...metadata.annotations, [SELECTED_NODE]: NODE };
			await client.update(PERSISTENT_VOLUME_CLAIMS, { ...rest, metadata: { ...metadata, annotations } }).catch(ignore('Aborted'));
		}
		const { items } = await client.list(PERSISTENT_VOLUMES);
		return items.length === count ? items : undefined;
	});
}

/** Each claim's volume bound, attached and snapshotted. */
async function useAll(client: Client): Promise<void> {
	for (const volume of await provisioned(client, CLAIMS)) {
		const { name = '' } = volume.metadata;
		const bound = await client.get(PERSISTENT_VOLUME_CLAIMS, `default/${volume.spec?.claimRef?.name}`);
		const updated = await client.update(PERSISTENT_VOLUME_CLAIMS, { ...bound, spec: { ...bound.spec, volumeName: name } });
		await client.update(PERSISTENT_VOLUME_CLAIMS, { ...updated, status: { phase: 'Bound' } }, { subresource: 'status' });
		await client.update(PERSISTENT_VOLUMES, { ...volume, status: { phase: 'Bound' } }, { subresource: 'status' });
		await client.create(VOLUME_ATTACHMENTS, {
			metadata: { name: `csi-${name}` },
			spec: { attacher: DRIVER, nodeName: NODE, source: { persistentVolumeName: name } },
		});
		await client.create(VOLUME_SNAPSHOTS, {
			metadata: { name: bound.metadata.name ?? '', namespace: 'default' },
			spec: { source: { persistentVolumeClaimName: bound.metadata.name ?? '' }, volumeSnapshotClassName: 'local' },
		});
	}
	await eventually('all attached', async () => (await client.list(VOLUME_ATTACHMENTS)).items.every((a) => a.status?.attached === true));
	await eventually('all snapshots', async () => (await client.list(VOLUME_SNAPSHOTS)).items.every((s) => s.status?.readyToUse === true));
}

/** As the binder leaves it for the provisioner. */
const claim = (i: number) => ({
	metadata: { name: `c${i}`, namespace: 'default', annotations: { [STORAGE_PROVISIONER]: DRIVER } },
	spec: { accessModes: ['ReadWriteOnce' as const], storageClassName: 'local', resources: { requests: { storage: '64Mi' } } },
});
