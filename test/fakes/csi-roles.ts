/** Sidecar roles on a real API server and a driver in memory, on virtual time. */
import type { Node, PersistentVolumeClaim } from '../../api/gen/types.ts';
import { CSI_NODES, EVENTS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../api/resources.ts';
import { createLog, noLog } from '../../base/log.ts';
import { runServices, type Service } from '../../base/service.ts';
import { idle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { RETRY, type RoleDeps } from '../../csi/roles/role.ts';
import { testApiServer } from './api-server.ts';
import { DRIVER, POOL_KEY, type MemoryDriver } from './memory-driver.ts';

export interface RoleBench {
	readonly client: Client;
	readonly clock: VirtualClock;
	readonly driver: MemoryDriver;
	/** Lets `ms` pass, by default enough for what was just written to be acted upon. */
	pass(ms?: number): Promise<void>;
	/** "Reason: message" of the events about objects of this name. */
	events(name: string): Promise<readonly string[]>;
	/** A claim as the binder leaves it: ours to provision. */
	claim(
		name: string,
		more?: { readonly spec?: PersistentVolumeClaim['spec']; readonly annotations?: Record<string, string> },
	): Promise<PersistentVolumeClaim>;
	/** A claim bound to the volume that was provisioned for it. */
	bound(name: string): Promise<string>;
}

const SOON_MS = 200;
/** Requests pass through more turns of the event loop than a bare callback. */
const TURNS = 40;

export async function withRoles(
	driver: (clock: VirtualClock) => MemoryDriver,
	roles: (deps: RoleDeps) => readonly Service[],
	body: (bench: RoleBench) => Promise<void>,
	prepare: (client: Client, clock: VirtualClock) => Promise<void> = async () => {},
): Promise<void> {
	const clock = new VirtualClock(Date.UTC(2026, 0, 1), 1, () => idle(TURNS));
	const said: string[] = [];
	const log = createLog({ level: 'warn', write: (line) => void said.push(line) });
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock, log: noLog }, stop.signal);
	const memory = driver(clock);
	const informers = new Informers({ client, clock, log });
	const recorder = createRecorder({ client, clock, log, component: 'csi-roles' });
	const pass = async (ms = SOON_MS): Promise<void> => {
		for (let i = 0; i < 4; i++) await clock.advance(ms / 4);
	};
	await seed(client);
	await prepare(client, clock);
	const ready = Promise.withResolvers<void>();
	const services = roles({ client, informers, recorder, clock, log, workers: 4, backoff: RETRY, driver: memory.link() });
	const running = runServices([informers, recorder, ...services], stop.signal, ready.resolve);
	running.catch(ready.reject);
	const claims = `default/`;
	try {
		let isReady = false;
		ready.promise.then(
			() => (isReady = true),
			() => (isReady = true),
		);
		for (let i = 0; i < 20 || (!isReady && i < 5000); i++) await pass();
		await ready.promise;
		await body({
			...{ client, clock, driver: memory, pass },
			async events(name) {
				const { items } = await client.list(EVENTS);
				return items.filter((e) => e.involvedObject?.name === name).map((e) => `${e.reason}: ${e.message}`);
			},
			claim: (name, { spec = {}, annotations = {} } = {}) =>
				client.create(PERSISTENT_VOLUME_CLAIMS, {
					metadata: { name, namespace: 'default', annotations: { 'volume.kubernetes.io/storage-provisioner': DRIVER, ...annotations } },
					spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } }, ...spec },
				}),
			async bound(name) {
				const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, claims + name);
				const volumeName = `pvc-${claim.metadata.uid}`;
				const updated = await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, spec: { ...claim.spec, volumeName } });
				const volume = await client.get(PERSISTENT_VOLUMES, volumeName);
				const status = { phase: 'Bound', accessModes: claim.spec?.accessModes, capacity: volume.spec?.capacity } as const;
				await client.update(PERSISTENT_VOLUME_CLAIMS, { ...updated, status: { ...updated.status, ...status } }, { subresource: 'status' });
				await client.update(PERSISTENT_VOLUMES, { ...volume, status: { phase: 'Bound' } }, { subresource: 'status' });
				await pass();
				return volumeName;
			},
		});
	} finally {
		stop.abort();
		await running;
		await stopped;
	}
}

/** A node with the driver, and classes for it. */
async function seed(client: Client): Promise<void> {
	const node: Node = { metadata: { name: 'n1', labels: { [POOL_KEY]: 'a', 'kubernetes.io/hostname': 'n1' } } };
	await client.create(NODES, node);
	await client.create(CSI_NODES, {
		metadata: { name: 'n1' },
		spec: { drivers: [{ name: DRIVER, nodeID: 'node-one', topologyKeys: [POOL_KEY] }] },
	});
	const common = { provisioner: DRIVER, reclaimPolicy: 'Delete', allowVolumeExpansion: true } as const;
	await client.create(STORAGE_CLASSES, { metadata: { name: 'fast' }, ...common, volumeBindingMode: 'Immediate' });
	await client.create(STORAGE_CLASSES, { metadata: { name: 'late' }, ...common, volumeBindingMode: 'WaitForFirstConsumer' });
}
