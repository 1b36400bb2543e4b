/**
 * `npm run bench -- csi [PART …] [ROUNDS]`: every call of a volume's life over the driver's socket, beside the bare commands that do the same, interleaved in one
 * run; full cycles a second with one and with eight clients; lists of a thousand. The floor of a volume without a file system is a call that does nothing
 * and one sync; memory of driver and roles in one process. Prints medians, ratios and the targets. As root, with loop devices.
 */
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { realClock } from '../../base/clock.ts';
import type { BackendKind } from '../../csi/backends/kinds.ts';
import { ControllerService, IdentityService, type VolumeCapability } from '../../csi/proto.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { MortalDriver } from '../crash/csi/mortal-driver.ts';
import { must } from '../tools/command.ts';
import { memoryOfAll, type DriverCalls } from './csi-memory.ts';
import { median, printFigures, type Figure } from './figures.ts';

const SIZE = 64 * 1024 ** 2;
const CLIENTS = 8;
const LISTED = 1000;
/** Lists that are so far apart look at all data anew. */
const LOOK_MS = 1100;
const LOOKS = 10;
/** What the driver takes, without what decoding takes its client. */
const UNDECODED = {
	listVolumes: { ...ControllerService.listVolumes, responseDeserialize: (bytes: Buffer): Buffer => bytes },
} as const;
/** The reference driver's full cycles a second, at any number of clients. */
const REFERENCE_CYCLES = 29;
const none = { secrets: {}, parameters: {}, mutableParameters: {}, volumeContext: {}, publishContext: {}, readonly: false };
const volumeCapability: VolumeCapability = {
	accessType: { $case: 'mount', value: { fsType: 'ext4', mountFlags: [], volumeMountGroup: '' } },
	accessMode: { mode: 1 },
};

/** Milliseconds by call. */
type Times = Map<string, number[]>;

export async function bench(args: readonly string[]): Promise<void> {
	const rounds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 30);
	const parts = args.filter((arg) => !/^\d+$/.test(arg));
	const wants = (part: string): boolean => parts.length === 0 || parts.includes(part);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-csi-'));
	try {
		const missed = printFigures([
			...(wants('images') ? await onImages(dir, rounds) : []),
			...(wants('folders') ? await onFolders(dir, rounds) : []),
			...(wants('memory') ? await memoryOfAll(dir, (driver, at) => cycles(driver, at, rounds)) : []),
		]);
		console.log(`${missed} figures miss their goal`);
	} finally {
		for (const made of [dir, `/run/${basename(dir)}`]) await rm(made, { recursive: true, force: true });
	}
}

async function onImages(dir: string, rounds: number): Promise<Figure[]> {
	await using driver = await start(dir, 'loop');
	const [times, floors]: [Times, Times] = [new Map(), new Map()];
	for (let i = 0; i < rounds; i++) {
		await cycle(driver, dir, `image-${i}`, times);
		await bare(dir, floors);
	}
	const of = (from: Times, ...names: readonly string[]): number => names.reduce((sum, name) => sum + median(from.get(name) ?? []), 0);
	const figure = (name: string, calls: readonly string[], commands: readonly string[], goals: Figure['goals'] = []): Figure => ({
		name,
		value: of(times, ...calls),
		floor: commands.length === 0 ? undefined : of(floors, ...commands),
		goals,
	});
	return [
		figure('CreateVolume with mkfs, ms', ['create'], ['make'], [{ of: 'value', atMost: 25 }]),
		figure('ControllerPublishVolume, ms', ['attach'], []),
		figure(
			'NodeStage + NodePublish, ms',
			['stage', 'publish'],
			['mount', 'bind'],
			[
				{ of: 'value', atMost: 30 },
				{ of: 'ratio', atMost: 1.2 },
			],
		),
		figure('NodeUnpublish + NodeUnstage, ms', ['unpublish', 'unstage'], ['unbind', 'unmount'], [{ of: 'value', atMost: 30 }]),
		figure('NodeGetVolumeStats, ms', ['stats'], []),
		figure('DeleteVolume, ms', ['delete'], []),
	];
}

async function onFolders(dir: string, rounds: number): Promise<Figure[]> {
	await using driver = await start(dir, 'directory');
	const times: Times = new Map();
	const rate = async (clients: number): Promise<number> => {
		const from = performance.now();
		const client = async (c: number): Promise<void> => {
			for (let i = 0; i < rounds; i++) await cycle(driver, dir, `folder-${clients}-${c}-${i}`, times);
		};
		await Promise.all(Array.from({ length: clients }, (_, c) => client(c)));
		return (clients * rounds * 1000) / (performance.now() - from);
	};
	const one = await rate(1);
	const create = median(times.get('create') ?? []);
	const [nothing, synced] = [await bareCall(driver, rounds), await bareSync(dir, rounds)];
	const eight = await rate(CLIENTS);
	for (let i = 0; i < LISTED; i++) await driver.controller.createVolume(createRequest(`listed-${i}`));
	const all = { maxEntries: LISTED, startingToken: '' };
	const [anew, lists, undecoded]: [number[], number[], number[]] = [[], [], []];
	for (let i = 0; i < LOOKS; i++) {
		await sleep(LOOK_MS);
		await timed(anew, () => driver.controller.listVolumes(all));
	}
	const bytes = await grpcClient(UNDECODED, { address: driver.address, clock: realClock });
	for (let i = 0; i < rounds; i++) {
		await timed(lists, () => driver.controller.listVolumes(all));
		await timed(undecoded, () => bytes.listVolumes(all));
	}
	bytes.close();
	return [
		{ name: 'a call that does nothing, ms', value: nothing },
		{
			name: 'CreateVolume without mkfs, ms',
			value: create,
			floor: nothing + synced,
			goals: [{ of: 'value', atMost: 2 }],
		},
		{ name: 'full cycles/s, one client', value: one },
		{
			name: 'full cycles/s, 8 clients, against one',
			value: eight,
			floor: one,
			goals: [
				{ of: 'ratio', atLeast: 1.8 },
				{ of: 'value', atLeast: 2 * REFERENCE_CYCLES },
			],
		},
		{ name: `ListVolumes of ${LISTED}, ms`, value: median(lists), goals: [{ of: 'value', atMost: 5 }] },
		{ name: `ListVolumes of ${LISTED}, its answer not decoded, ms`, value: median(undecoded) },
		{ name: `ListVolumes of ${LISTED}, all data looked at anew, ms`, value: median(anew) },
	];
}

/** The median, ms, of a call that any gRPC server of this program answers at once. */
async function bareCall({ address }: MortalDriver, rounds: number): Promise<number> {
	const identity = await grpcClient(IdentityService, { address, clock: realClock });
	const times: number[] = [];
	for (let i = 0; i < rounds; i++) await timed(times, () => identity.probe({}));
	identity.close();
	return median(times);
}

/** The median, ms, of what makes a record durable: a line written to blocks that a file has already, and synced. */
async function bareSync(dir: string, rounds: number): Promise<number> {
	await using file = await open(join(dir, 'bare-sync'), 'w');
	const line = Buffer.alloc(512, 'x');
	await file.write(Buffer.alloc(line.length * rounds));
	await file.sync();
	const times: number[] = [];
	for (let i = 0; i < rounds; i++)
		await timed(times, async () => {
			await file.write(line, 0, line.length, i * line.length);
			await file.datasync();
		});
	return median(times);
}

function start(dir: string, backend: BackendKind): Promise<MortalDriver> {
	const options = {
		driverName: 'local.csi.kubeling.dev',
		version: 'bench',
		role: 'all',
		socketPath: join(dir, `${backend}.sock`),
		dataDir: join(dir, `${backend}-pool`),
		runDir: `/run/${basename(dir)}`, // as it is installed: in memory
		nodeId: 'bench',
		maxVolumesPerNode: 0,
		targetRoots: [dir],
		backends: [backend],
	} as const;
	return MortalDriver.start(options, []);
}

const createRequest = (name: string) => ({
	...none,
	name,
	capacityRange: { requiredBytes: BigInt(SIZE), limitBytes: 0n },
	volumeCapabilities: [volumeCapability],
	volumeContentSource: undefined,
	accessibilityRequirements: undefined,
});

/** A volume's life, each call timed. */
async function cycle({ controller, node }: DriverCalls, dir: string, name: string, times: Times): Promise<void> {
	const call = <T>(what: string, make: () => Promise<T>): Promise<T> => {
		if (!times.has(what)) times.set(what, []);
		return timed(times.get(what) ?? [], make);
	};
	const { volume } = await call('create', () => controller.createVolume(createRequest(name)));
	const volumeId = volume?.volumeId ?? '';
	const [stagingTargetPath, targetPath] = [join(dir, `${name}-staging`), join(dir, `${name}-target`)];
	const at = { ...none, volumeId, volumeCapability, stagingTargetPath, targetPath };
	await call('attach', () => controller.controllerPublishVolume({ ...at, nodeId: 'bench' }));
	await call('stage', () => node.nodeStageVolume(at));
	await call('publish', () => node.nodePublishVolume(at));
	await call('stats', () => node.nodeGetVolumeStats({ volumeId, volumePath: targetPath, stagingTargetPath }));
	await call('unpublish', () => node.nodeUnpublishVolume(at));
	await call('unstage', () => node.nodeUnstageVolume(at));
	await call('detach', () => controller.controllerUnpublishVolume({ ...none, volumeId, nodeId: 'bench' }));
	await call('delete', () => controller.deleteVolume({ ...none, volumeId }));
	await rm(stagingTargetPath, { recursive: true, force: true });
}

/** Lives of volumes, with several clients at once. */
async function cycles(driver: DriverCalls, dir: string, rounds: number): Promise<void> {
	const client = async (c: number): Promise<void> => {
		for (let i = 0; i < rounds; i++) await cycle(driver, dir, `volume-${c}-${i}`, new Map());
	};
	await Promise.all(Array.from({ length: CLIENTS }, (_, c) => client(c)));
}

/** The same by bare commands. */
async function bare(dir: string, times: Times): Promise<void> {
	const [image, staging, target] = [join(dir, 'bare.img'), join(dir, 'bare-staging'), join(dir, 'bare-target')];
	const command = (what: string, ...[file = '', ...args]: readonly string[]): Promise<string> => {
		if (!times.has(what)) times.set(what, []);
		return timed(times.get(what) ?? [], () => must(file, args));
	};
	await mkdir(staging, { recursive: true });
	await mkdir(target, { recursive: true });
	await must('truncate', ['-s', String(SIZE), image]);
	await command('make', 'mkfs.ext4', '-q', '-F', '-m', '0', image);
	await command('mount', 'mount', '-o', 'loop', image, staging);
	await command('bind', 'mount', '--bind', staging, target);
	await command('unbind', 'umount', target);
	await command('unmount', 'umount', staging);
	await rm(image);
}

async function timed<T>(into: number[], make: () => Promise<T>): Promise<T> {
	const from = performance.now();
	const result = await make();
	into.push(performance.now() - from);
	return result;
}
