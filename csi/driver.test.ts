/** The driver as a service: what it starts with, what it serves in each role, how it ends. Needs neither root nor devices. */
import { readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../base/clock.ts';
import { stateText } from '../base/files.ts';
import { noLog } from '../base/log.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createMetrics } from '../base/metrics.ts';
import { mountCommands } from '../host/mounter.ts';
import { csiFolder, csiOptionsIn } from '../test/tools/csi-folder.ts';
import { RegistrationService } from '../wire/gen/pluginregistration.ts';
import { grpcClient } from '../wire/grpc/client.ts';
import { chooseData } from './backends/choose.ts';
import { DirectoryBackend } from './backends/directory.ts';
import { getCapacity } from './controller/get-capacity.ts';
import { createContext, createCsiDriver } from './driver.ts';
import type { VolumeRecord } from './records/records.ts';
import { idOf } from './ids.ts';
import type { Role } from './options.ts';
import { ControllerService, IdentityService, NodeService } from './proto.ts';

test('a boot that has no name: the driver does not start, and records of what is mounted stay', async (t) => {
	const dir = await csiFolder(t);
	const deps = { clock: realClock, log: noLog, metrics: createMetrics() };
	const named = await createContext(csiOptionsIn(dir, 'all'), { ...deps, bootId: 'boot' });
	await named.nodes.register('node');
	const driver = createCsiDriver(csiOptionsIn(dir, 'all'), { ...deps, bootId: '' });
	await t.throwsAsync(
		driver.run(new AbortController().signal, () => t.fail()),
		{ code: 'FailedPrecondition' },
	);
	t.deepEqual(named.nodes.nodes(), ['node']);
});

test('a full pool that cannot be asked is no reason to forget what went wrong', async (t) => {
	const dir = await csiFolder(t);
	const { space } = await createContext(csiOptionsIn(dir, 'all'), { clock: realClock, log: noLog, metrics: createMetrics() });
	const error = new Error('of the copy');
	await rm(join(dir, 'pool'), { recursive: true });
	t.is(await space.told(error), error);
});

test('a node alone serves Identity and Node, registers with the kubelet, and takes its sockets away when it stops', async (t) => {
	const dir = await csiFolder(t);
	const deps = { clock: realClock, log: noLog, metrics: createMetrics() };
	const stop = new AbortController();
	const ready = Promise.withResolvers<void>();
	const driver = createCsiDriver(csiOptionsIn(dir, 'node'), deps).run(stop.signal, ready.resolve);
	await Promise.race([ready.promise, driver]);
	const at = { address: join(dir, 'csi.sock'), clock: realClock };
	const registration = await grpcClient(RegistrationService, {
		address: join(dir, 'registry/local.csi.kubeling.dev-reg.sock'),
		clock: realClock,
	});
	const [identity, node, controller] = await Promise.all([
		grpcClient(IdentityService, at),
		grpcClient(NodeService, at),
		grpcClient(ControllerService, at),
	]);
	const endpoint = join(dir, 'csi.sock');
	t.deepEqual(await registration.getInfo({}), {
		type: 'CSIPlugin',
		name: 'local.csi.kubeling.dev',
		endpoint,
		supportedVersions: ['1.0.0'],
	});
	await registration.notifyRegistrationStatus({ pluginRegistered: true, error: '' });
	t.like(await identity.getPluginInfo({}), { name: 'local.csi.kubeling.dev', vendorVersion: 'test' });
	t.like(await node.nodeGetInfo({}), { nodeId: 'node', maxVolumesPerNode: 7n });
	await t.throwsAsync(controller.listVolumes({ maxEntries: 0, startingToken: '' }), { code: 'Unimplemented' });
	for (const client of [registration, identity, node, controller]) client.close();
	stop.abort();
	await driver;
	t.deepEqual(await readdir(join(dir, 'registry')), []);
});

test('a driver whose kubelet refuses it ends, and says why', async (t) => {
	const dir = await csiFolder(t);
	const ready = Promise.withResolvers<void>();
	const deps = { clock: realClock, log: noLog, metrics: createMetrics() };
	const driver = createCsiDriver(csiOptionsIn(dir, 'all'), deps).run(new AbortController().signal, ready.resolve);
	await Promise.race([ready.promise, driver]);
	const registration = await grpcClient(RegistrationService, {
		address: join(dir, 'registry/local.csi.kubeling.dev-reg.sock'),
		clock: realClock,
	});
	await registration.notifyRegistrationStatus({ pluginRegistered: false, error: 'another has the name' }).catch(() => {});
	await t.throwsAsync(driver, { message: /another has the name/ });
	registration.close();
});

test('what is still to be overwritten keeps nobody waiting but for its own volume, and no driver from its end', async (t) => {
	const dir = await csiFolder(t);
	const id = idOf('vol', 'huge');
	const leaving = join(dir, 'pool/volumes', `.gone-${id}`);
	await mkdir(leaving, { recursive: true });
	await writeFile(join(leaving, 'record.json'), stateText(1, { id, mutableParameters: { secureErase: 'true' } }));
	await writeFile(join(leaving, 'data.img'), '');
	await truncate(join(leaving, 'data.img'), 4 * 1024 ** 4); // minutes to look through
	const stop = new AbortController();
	const ready = Promise.withResolvers<void>();
	const deps = { clock: realClock, log: noLog, metrics: createMetrics() };
	const driver = createCsiDriver(csiOptionsIn(dir, 'controller'), deps).run(stop.signal, ready.resolve);
	await Promise.race([ready.promise, driver]);
	const controller = await grpcClient(ControllerService, { address: join(dir, 'csi.sock'), clock: realClock });
	await t.throwsAsync(controller.deleteVolume({ volumeId: id, secrets: {} }), { code: 'Aborted' });
	await controller.deleteVolume({ volumeId: idOf('vol', 'another'), secrets: {} });
	controller.close();
	stop.abort();
	await driver;
	t.deepEqual(await readdir(join(dir, 'pool/volumes')), [`.gone-${id}`]);
});

test('capacity: folders, which are kept to no size, tell no largest one', async (t) => {
	const dir = await csiFolder(t);
	const made = await createContext(csiOptionsIn(dir, 'controller'), { clock: realClock, log: noLog, metrics: createMetrics() });
	const context = { ...made, backends: { ...made.backends, available: [new DirectoryBackend(mountCommands)] } };
	const request = { volumeCapabilities: [], parameters: {}, accessibleTopology: undefined };
	const answer = await getCapacity(context, request, new AbortController().signal);
	t.true(answer.availableCapacity > 0n);
	t.is(answer.maximumVolumeSize, undefined);
});

test('folders have the file system of the pool: another one is refused, that one and none are not', async (t) => {
	const dir = await csiFolder(t);
	const made = await createContext(csiOptionsIn(dir, 'controller'), { clock: realClock, log: noLog, metrics: createMetrics() });
	const context = { ...made, backends: { ...made.backends, available: [new DirectoryBackend(mountCommands)], poolFileSystem: 'xfs' } };
	const wanted = { backend: 'directory', access: 'mount', range: undefined } as const;
	t.throws(() => chooseData(context, { ...wanted, fsType: 'ext4' }), { code: 'InvalidArgument', message: /pool, which is not ext4/ });
	for (const fsType of ['xfs', undefined] as const) t.is(chooseData(context, { ...wanted, fsType }).backend, 'directory');
});

test('what a power failure took is made again, whether its back end can be used now or not', async (t) => {
	const dir = await csiFolder(t);
	const deps = { clock: realClock, log: noLog, metrics: createMetrics() };
	const facts = { name: 'name', createdAtMs: 0, parameters: {}, mutableParameters: {}, publications: [], sizeBytes: 8192 } as const;
	const volumes: readonly VolumeRecord[] = [
		{ ...facts, id: 'vol-blocks', backend: 'loop', access: 'block' },
		{ ...facts, id: 'vol-folder', backend: 'directory', access: 'mount' },
	];
	const before = (await createContext(csiOptionsIn(dir, 'controller'), { ...deps, clock: new VirtualClock() })).volumes;
	await before.load();
	const filling = { fill: () => Promise.resolve(), again: true };
	for (const volume of volumes) await before.create(volume, filling, { step: () => Promise.resolve() });
	for (const { id } of volumes) await rm(before.dir(id), { recursive: true });
	const context = await createContext({ ...csiOptionsIn(dir, 'controller'), backends: ['btrfs'] }, deps);
	t.deepEqual(context.backends.available, []);
	await context.volumes.load();
	t.deepEqual(
		volumes.map((volume) => dataFound(context.volumes.dir(volume.id))),
		['data.img 8192', 'data 777'],
	);
});

function dataFound(dir: string): string {
	const name = readdirSync(dir).find((each) => each !== 'record.json') ?? '';
	const found = statSync(join(dir, name));
	return `${name} ${found.isDirectory() ? (found.mode & 0o777).toString(8) : found.size}`;
}

for (const [name, wrong] of [
	['a name that begins with a digit', { driverName: '1st.csi' }],
	['a name that ends with a dot', { driverName: 'local.csi.' }],
	['a role that is none', { role: 'both' as Role }],
	['a node without an id', { nodeId: '' }],
	['a back end that is none', { backends: ['zfs' as 'loop'] }],
] as const)
	test(`options: ${name} is refused`, (t) => {
		const deps = { clock: realClock, log: noLog, metrics: createMetrics() };
		t.throws(() => createCsiDriver({ ...csiOptionsIn('/nowhere', 'all'), ...wrong }, deps), { code: 'InvalidArgument' });
	});
