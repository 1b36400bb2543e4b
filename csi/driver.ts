/** The CSI driver: wired here, run as one Service. Mounts and devices outlive it. */
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { aborted, linked } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Histogram, type Registry } from '../base/metrics.ts';
import type { Service } from '../base/service.ts';
import { bootId } from '../host/facts.ts';
import { IoGroups } from '../host/io-groups.ts';
import { MountHelper } from '../host/mount-helper.ts';
import { mountCommands, type Mounter } from '../host/mounter.ts';
import { serveGrpc, service, type BoundService } from '../wire/grpc/server.ts';
import { BACKEND_KINDS } from './backends/kinds.ts';
import { DeferredErasure } from './backends/deferred-erasure.ts';
import { discardData } from './backends/discard.ts';
import { makeAgain } from './backends/make-again.ts';
import type { Context } from './context.ts';
import { KEEPING_CONTROLLER_SERVICE } from './controller/kept-entries.ts';
import { identityHandlers } from './identity.ts';
import { Locks } from './locks.ts';
import type { CsiOptions, Role } from './options.ts';
import { findBackends, sayBackends } from './pool/find-backends.ts';
import { loadPoolId } from './pool/pool-id.ts';
import { PoolSpace } from './pool/space.ts';
import { stillToTake, type Holding } from './pool/still-to-take.ts';
import { GroupControllerService, IdentityService, NodeService, SnapshotMetadataService } from './proto.ts';
import { inlineFolder, NodeRecords } from './records/node-records.ts';
import { RecordFolders } from './records/record-folders.ts';
import type { DataFacts, GroupRecord, SnapshotRecord, VolumeRecord } from './records/records.ts';
import { recoverController, recoverNode } from './recover.ts';
import { VolumeLimits } from './qos/volume-limits.ts';
import { registerPlugin } from './registrar.ts';
import { controllerHandlers, groupHandlers, metadataHandlers, nodeHandlers } from './rpcs.ts';
import { noSteps, type Steps } from './steps.ts';

export type { CsiOptions } from './options.ts';

export interface CsiDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
	/** Told of every step; tests end the process there. */
	readonly steps?: Steps;
	/** Of this boot; the kernel's unless told. */
	readonly bootId?: string;
	/** Control groups that limit input and output, or why there are none; this host's unless told. */
	readonly ioGroups?: IoGroups | string;
	/** The system's commands unless told. */
	readonly mounter?: Mounter;
}

/** As CSI has it (GetPluginInfo), and beginning and ending with a letter. */
const DRIVER_NAME = /^(?=.{1,63}$)[a-zA-Z](?:[a-zA-Z0-9.-]*[a-zA-Z])?$/;

const ROLES: readonly Role[] = ['all', 'controller', 'node'];
/** Bytes, as NodeGetInfo has it; kept lower, since it names a folder. */
const MOST_NODE_ID = 80;

/** The driver as a Service named "csi": ready once it answers on its socket. */
export function createCsiDriver(options: CsiOptions, deps: CsiDeps): Service {
	const { driverName, role, nodeId, backends = [] } = options;
	if (!DRIVER_NAME.test(driverName)) throw new AppError('InvalidArgument', `"${driverName}" is no name for a driver`);
	if (!ROLES.includes(role)) throw new AppError('InvalidArgument', `Role "${role}" is none of ${ROLES.join(', ')}`);
	if (nodeId === '' || Buffer.byteLength(nodeId) > MOST_NODE_ID) throw new AppError('InvalidArgument', `"${nodeId}" is no id for a node`);
	const stranger = backends.find((kind) => !BACKEND_KINDS.includes(kind));
	if (stranger !== undefined) throw new AppError('InvalidArgument', `Back end "${stranger}" is none of ${BACKEND_KINDS.join(', ')}`);
	return { name: 'csi', after: [], run: (signal, ready) => run(options, deps, signal, ready) };
}

async function run(options: CsiOptions, deps: CsiDeps, signal: AbortSignal, ready: () => void): Promise<void> {
	const { role, dataDir } = options;
	await mkdir(dataDir, { recursive: true, mode: 0o700 });
	const mounter = role === 'controller' ? mountCommands : await MountHelper.start(join(dataDir, 'bin'), deps.log.with({ part: 'csi' }));
	try {
		const context = await createContext(options, { ...deps, mounter });
		await serve(context, deps, signal, ready);
		await Promise.all([context.volumes, context.snapshots, context.groups, context.inline].map((folders) => folders.close()));
	} finally {
		await mounter.stop();
	}
}

async function serve(context: Context, deps: CsiDeps, signal: AbortSignal, ready: () => void): Promise<void> {
	const { options } = context;
	sayBackends(context.backends, context.log);
	if (context.limits.missing !== undefined) context.log.info('input and output cannot be limited', { reason: context.limits.missing });
	if (options.role !== 'node') await recoverController(context);
	if (options.role !== 'controller') {
		await context.nodes.register(options.nodeId);
		await recoverNode(context);
	}
	const path = options.socketPath.replace(/^unix:(\/\/)?/, '');
	await mkdir(dirname(path), { recursive: true });
	const { clock, log } = context;
	const server = await serveGrpc(servicesOf(context), { address: path, clock, log, onCall: callMetrics(deps.metrics) });
	const refused = new AbortController();
	const onRefused = (error: AppError): void => refused.abort(error);
	const { registrationDir: dir, driverName } = options;
	const registration =
		dir === undefined || options.role === 'controller'
			? undefined
			: await registerPlugin({ dir, driverName, endpoint: path, clock, log, onRefused });
	ready();
	using stop = linked(signal, refused.signal);
	const erasing = context.erasure.run(stop.signal);
	const limiting = options.role === 'controller' ? undefined : context.limits.run(options.nodeId, stop.signal);
	await aborted(stop.signal);
	await Promise.all([erasing, limiting]);
	await registration?.stop();
	await server.stop();
	if (!signal.aborted) throw refused.signal.reason as Error;
}

export async function createContext(options: CsiOptions, deps: CsiDeps): Promise<Context> {
	const { clock, log: parent, steps = noSteps, bootId: boot, mounter = mountCommands } = deps;
	const log = parent.with({ part: 'csi' });
	const poolId = await loadPoolId(options.dataDir, clock);
	const pool = await realpath(options.dataDir); // as the kernel names the files of loop devices
	const erasure = new DeferredErasure(log);
	const discard = erasure.discard.bind(erasure);
	const backends = await findBackends(pool, clock, options.backends, mounter);
	const empty = { clock, log, remake: makeAgain };
	const kindOf = ({ backend }: DataFacts) => backends.available.find(({ kind }) => kind === backend);
	const plain = { clock, log, remake: () => Promise.resolve() };
	const volumes = new RecordFolders<VolumeRecord>(join(pool, 'volumes'), discard, empty);
	const snapshots = new RecordFolders<SnapshotRecord>(join(pool, 'snapshots'), discard, plain);
	const groups = new RecordFolders<GroupRecord>(join(pool, 'groups'), () => Promise.resolve(), plain);
	const inline = new RecordFolders<VolumeRecord>(inlineFolder(pool, options.nodeId), (dir) => discardData(dir, {}), empty);
	const nodes = new NodeRecords(join(options.runDir, poolId), boot ?? (await bootId()));
	const holdings = <R extends DataFacts & { readonly id: string }>(folders: RecordFolders<R>): readonly Holding<R>[] =>
		folders.all().map((record) => {
			return { record, allocatedBytes: kindOf(record)?.allocatedBytes(folders.dir(record.id), record) ?? 0 };
		});
	const limits = new VolumeLimits({ groups: deps.ioGroups ?? IoGroups.open(), volumes, inline, nodes, clock, log, role: options.role });
	const space = new PoolSpace(pool, clock, log, {
		count: () => volumes.all().length + inline.all().length + snapshots.all().length,
		bytes: (more = []) =>
			stillToTake(
				{ volumes: [...holdings(volumes), ...holdings(inline)], snapshots: [...holdings(snapshots), ...more] },
				backends.sharesBlocks !== false,
			),
	});
	const records = { volumes, snapshots, groups, inline, nodes };
	return { options, poolId, backends, ...records, space, erasure, mounter, limits, locks: new Locks(), steps, clock, log };
}

function servicesOf(context: Context): readonly BoundService[] {
	const { role } = context.options;
	return [
		service(IdentityService, identityHandlers(context)),
		...(role === 'node'
			? []
			: [
					service(KEEPING_CONTROLLER_SERVICE, controllerHandlers(context)),
					service(GroupControllerService, groupHandlers(context)),
					service(SnapshotMetadataService, metadataHandlers(context)),
				]),
		...(role === 'controller' ? [] : [service(NodeService, nodeHandlers(context))]),
	];
}

function callMetrics(metrics: Registry): (call: { readonly method: string; readonly code: string; readonly ms: number }) => void {
	const histogram = new Histogram({
		name: 'kubeling_csi_call_seconds',
		help: 'Time that the driver took to answer CSI calls.',
		labelNames: ['method', 'code'],
		buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
		registers: [metrics],
	});
	return ({ method, code, ms }) => histogram.observe({ method: method.slice(method.lastIndexOf('/') + 1), code }, ms / 1000);
}
