/** The CRI runtime shim over Docker Engine: wired here, run as one Service. Containers outlive it. */
import { mkdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { aborted } from '../base/abort.ts';
import { AtMost } from '../base/at-most.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Histogram, type Registry } from '../base/metrics.ts';
import type { Service } from '../base/service.ts';
import { serveGrpc, service } from '../wire/grpc/server.ts';
import type { Context } from './context.ts';
import { namePrefix } from './convert/names.ts';
import { connectEngine, ENGINE_TIMEOUT_MS } from './engine/engine.ts';
import { EventHub } from './event-hub.ts';
import { followEngine } from './follow-engine.ts';
import { undoLater } from './handlers/container-create.ts';
import { removeLater } from './handlers/sandbox-run.ts';
import { findAbilities, type HostAbilities } from './host-abilities.ts';
import { ensurePauseImage } from './images/pause-image.ts';
import { ImageConfigs } from './images/image-configs.ts';
import { ImageFilesystem } from './images/image-filesystem.ts';
import { ImageUsers } from './images/image-users.ts';
import { ImageVolumes } from './images/image-volumes.ts';
import { PulledImages } from './images/pulled.ts';
import { Leftovers } from './leftovers.ts';
import { ContainerLogs } from './logs/container-logs.ts';
import { logSource } from './logs/source.ts';
import { loadInstance } from './instance.ts';
import { KEEPING_RUNTIME_SERVICE } from './kept-items.ts';
import { Helper, installHelper } from './network/helper.ts';
import { podNetworks } from './network/compose.ts';
import { NamesInUse } from './names-in-use.ts';
import { conditionsOf, Observe } from './observe.ts';
import type { ShimOptions } from './options.ts';
import { ImageServiceService } from './proto.ts';
import { imageHandlers, runtimeHandlers } from './rpcs.ts';
import { restore } from './start.ts';
import { Checkpoint } from './state/checkpoint.ts';
import { OomKills } from './state/oom-kills.ts';
import { RuntimeState } from './state/state.ts';
import { StatsCollector } from './stats/collector.ts';
import { StreamingServer } from './streaming/server.ts';

export type { ShimOptions } from './options.ts';

export interface ShimDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
}

/** The shim as a Service named "cri": ready once it answers on its socket with a pod network that stands. */
export function createShim(options: ShimOptions, deps: ShimDeps): Service {
	return { name: 'cri', after: [], run: (signal, ready) => run(options, deps, signal, ready) };
}

async function run(options: ShimOptions, deps: ShimDeps, signal: AbortSignal, ready: () => void): Promise<void> {
	const log = deps.log.with({ part: 'cri' });
	const { clock } = deps;
	await mkdir(dirname(options.socketPath), { recursive: true });
	const engine = await connectEngine(options.dockerHost, signal, { clock, timeoutMs: options.engineTimeoutMs ?? ENGINE_TIMEOUT_MS });
	const [host, pauseImage, instance, helperPath] = await Promise.all([
		findAbilities(engine, signal),
		ensurePauseImage(engine, signal),
		loadInstance(options),
		installHelper(join(options.dataDir, 'bin')),
	]);
	sayLimits(host, log);
	const network = podNetworks(options, instance, host, { helper: new Helper(helperPath), clock, log });
	using oomKills = new OomKills(options.kernelLog ?? '/dev/kmsg', log);
	const state = new RuntimeState(engine, oomKills);
	const checkpoint = new Checkpoint(join(options.dataDir, 'checkpoints'), clock);
	const prefix = namePrefix(options.clusterName, instance.instance);
	const pulled = new PulledImages(join(options.dataDir, 'pulled-images.json'));
	const [{ pods, unfinished, unremoved }] = await Promise.all([
		restore({ engine, checkpoint, state, namePrefix: prefix, dataDir: options.dataDir, log }),
		pulled.load(),
	]);
	const imageVolumes = new ImageVolumes(join(options.dataDir, 'image-volumes'));
	await Promise.all([network.start(pods), imageVolumes.collect(new Set(state.containerRecords().map((c) => c.name)))]);
	const logs = new ContainerLogs({ engine, clock, log });
	const streaming = new StreamingServer(options.streamingAddress ?? { host: '127.0.0.1', port: 0 }, {
		clock,
		log,
		engine,
		state,
		helperPath,
		tls: await tlsOf(options.streamingTls),
	});
	await streaming.start();
	const context: Context = {
		options,
		instance: instance.instance,
		namePrefix: prefix,
		engine,
		starts: new AtMost(startsAtOnce(availableParallelism())),
		host,
		state,
		checkpoint,
		network,
		logs,
		events: new EventHub(),
		names: new NamesInUse(),
		leftovers: new Leftovers(clock, log),
		pulled,
		imageConfigs: new ImageConfigs(engine),
		imageFilesystem: new ImageFilesystem(host.engineRoot, host.storageDriver),
		imageUsers: new ImageUsers(engine, prefix),
		imageVolumes,
		streaming,
		stats: new StatsCollector(clock, host.engineRoot),
		pauseImage,
		helperPath,
		clock,
		log,
	};
	for (const record of unfinished) removeLater(context, record);
	for (const name of unremoved) undoLater(context, name);
	for (const { record, live } of await state.containers()) {
		if (live.state === 'created') logs.attach(logSource(state, record));
		else logs.resume(logSource(state, record));
	}
	const following = followEngine(context, signal);
	const server = await serveGrpc(
		[service(KEEPING_RUNTIME_SERVICE, runtimeHandlers(context)), service(ImageServiceService, imageHandlers(context))],
		{
			address: options.socketPath,
			clock,
			log,
			onCall: callMetrics(deps.metrics),
		},
	);
	const observe = new Observe(context, conditionsOf(context), deps.metrics);
	if (options.metricsAddress !== undefined) await observe.start(options.metricsAddress);
	ready();
	await aborted(signal);
	await Promise.all([server.stop(), observe.stop()]);
	await Promise.all([following, streaming.stop(), logs.stop(), context.leftovers.stop(), checkpoint.synced()]);
	await network.stop();
}

async function tlsOf(files: ShimOptions['streamingTls']): Promise<{ readonly cert: string; readonly key: string } | undefined> {
	if (files === undefined) return undefined;
	const [cert, key] = await Promise.all([readFile(files.certFile, 'utf8'), readFile(files.keyFile, 'utf8')]);
	return { cert, key };
}

function sayLimits(host: HostAbilities, log: Log): void {
	if (host.missingCapabilities.length === 0) return;
	log.warn('the engine lacks capabilities; privileged containers get all that it has', {
		missing: host.missingCapabilities,
		lowestOomScoreAdj: host.lowestOomScoreAdj,
	});
}

function callMetrics(metrics: Registry): (call: { readonly method: string; readonly code: string; readonly ms: number }) => void {
	const histogram = new Histogram({
		name: 'kubeling_cri_call_seconds',
		help: 'Time that the shim took to answer CRI calls.',
		labelNames: ['method', 'code'],
		buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
		registers: [metrics],
	});
	return ({ method, code, ms }) => histogram.observe({ method: method.slice(method.lastIndexOf('/') + 1), code }, ms / 1000);
}

/**
 * More do not end sooner: they take the processors, and the kernel's locks of mounts and namespaces, from each other. 105 pods at once on two cores run after 18.9 s instead
 * of 21.5, on a slower day 18.1 instead of 25.9; with 8 at once after 20.8 to 23.3.
 */
function startsAtOnce(processors: number): number {
	return Math.max(16, 8 * processors);
}
