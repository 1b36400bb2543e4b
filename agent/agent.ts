/** The agent: registers this machine as a Node, runs the pods bound to it, serves the kubelet API. */
import { readFile } from 'node:fs/promises';
import type { Pod } from '../api/gen/types.ts';
import { NODES, PODS, SERVICES } from '../api/resources.ts';
import { abortable } from '../base/abort.ts';
import { retrying } from '../base/backoff.ts';
import { Condition } from '../base/condition.ts';
import { messageOf } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { Service } from '../base/service.ts';
import { createRecorder } from '../client/events.ts';
import { createInformer } from '../client/informer.ts';
import { limited } from '../client/rate-limit.ts';
import { hasAppArmor } from '../host/apparmor.ts';
import { cgroupVersion } from '../host/cgroups.ts';
import { cpuTimes } from '../host/cpu.ts';
import { hostFacts } from '../host/facts.ts';
import { fsStats } from '../host/filesystem.ts';
import { hostRefusal } from './admission/host-refusal.ts';
import { componentMetrics } from './component-metrics.ts';
import { podEvent, type AgentContext } from './context.ts';
import { CsiVolumes } from './csi/csi-volumes.ts';
import { findUsers, runCsi } from './csi/run.ts';
import { enforceAllocatable } from './cgroup/node-allocatable.ts';
import { openGroups } from './cgroup/open.ts';
import { settingsIn } from './config/settings.ts';
import { draParts } from './dra/of-agent.ts';
import { Evictor } from './eviction/evictor.ts';
import { Collector } from './gc/collector.ts';
import { noResolver, parseResolvConf } from './network-identity/dns.ts';
import { imageParts } from './image/of-agent.ts';
import { keepLooking } from './node/alone.ts';
import { capacityOf, MAX_PODS } from './node/capacity.ts';
import { meetDemands } from './node/host-demands.ts';
import { keepChains } from './node/packet-chains.ts';
import { sayHostLimits } from './node/host-limits.ts';
import { NodeStartup } from './node/startup-figures.ts';
import { nodeEvent } from './node/node-event.ts';
import { tellSystemOoms } from './node/system-oom.ts';
import { watched } from './node/watchdog.ts';
import { Resizes } from './resize/resizes.ts';
import { NodeKeeper } from './node/node.ts';
import type { AgentDeps, AgentOptions } from './options.ts';
import type { PlegHealth } from './pod/pleg-health.ts';
import { runPleg } from './pod/pleg.ts';
import { measured } from './runtime/measured.ts';
import type { RuntimeStatus } from './runtime/runtime.ts';
import { AgentMetrics } from './metrics.ts';
import { CpuRates } from './server/cpu-rates.ts';
import { countPods } from './pod/pod-figures.ts';
import { PodWorkers } from './pod/workers.ts';
import { Mirrors } from './static/mirrors.ts';
import { staticParts } from './static/run-static.ts';
import { isStatic, runningPods } from './static/static-pod.ts';
import { startServer } from './server/server.ts';
import { shutdownOf } from './shutdown/of-agent.ts';
import { NODE_SHUTDOWN } from './shutdown/shutdown.ts';
import { FollowedObjects } from './volume/followed-objects.ts';
import { Objects } from './volume/objects.ts';
import { placementParts } from './topology/of-agent.ts';
import { resizeFault } from './topology/resize-fault.ts';
import { servePlacement } from './topology/sockets.ts';
import { VolumeStats } from './volume/stats.ts';
import { openUsers } from './users/open.ts';
import { Tokens } from './volume/tokens.ts';

export type { AgentDeps, AgentOptions } from './options.ts';

/** Who the agent is to the API server. */
const COMPONENT = 'kubelet';
/** Upstream waits 30 s for the runtime; here as long as it takes, said once a try. */
const RUNTIME_RETRY = { initialMs: 50, maxMs: 2000 };
/** Upstream's kubelet has no word of its own for the driver of control groups from then on. */
const NEEDS_RUNTIME_CONFIG = '1.37.0';

/** Ready once the Node is. Pods' containers outlive it: a stop of the agent stops no container. */
export function createAgent(options: AgentOptions, deps: AgentDeps, after: readonly string[] = []): Service {
	const run: Service['run'] = (signal, ready) =>
		watched(options.serviceManager, deps, signal, (health) => runAgent(options, deps, health, signal, ready));
	return { name: 'agent', after, run };
}

async function runAgent(options: AgentOptions, deps: AgentDeps, health: PlegHealth, signal: AbortSignal, ready: () => void): Promise<void> {
	const { clock, log, runtime } = deps;
	const { node } = settingsIn(options);
	const client = limited(deps.client, node.apiRate, clock, COMPONENT);
	await Promise.all([makeFolder(options.rootDir, 0o750), makeFolder(options.podLogsDir, 0o755)]);
	const ended = new AbortController();
	const stop = AbortSignal.any([signal, ended.signal]);
	const [host, cpu, disk, hostDns, status] = await Promise.all([
		hostFacts(),
		cpuTimes(),
		fsStats(options.rootDir),
		node.resolvConf === ''
			? noResolver(options.nodeIps)
			: readFile(node.resolvConf, 'utf8').then(parseResolvConf, () => ({ servers: [], searches: [], options: [] })),
		retrying(
			clock,
			RUNTIME_RETRY,
			signal,
			() => runtime.status(signal),
			(error, attempt) => {
				log.warn('the container runtime does not answer', { reason: messageOf(error), attempt });
				return true;
			},
		),
	]);
	await meetDemands(node, host.swapBytes, log);
	const maxPods = Math.min(options.maxPods ?? MAX_PODS, node.podsPerCore === 0 ? Number.POSITIVE_INFINITY : node.podsPerCore * host.cpus);
	const capacity = capacityOf(host, disk.capacityBytes, maxPods, settingsIn(options).resources);
	const recorder = createRecorder({
		...{ clock, log, component: COMPONENT, host: options.nodeName },
		client: limited(deps.client, node.eventRate, clock, COMPONENT),
	});
	const services = createInformer({ client, resource: SERVICES, clock, log });
	const pods = createInformer({ client, resource: PODS, clock, log, fieldSelector: `spec.nodeName=${options.nodeName}` });
	const nodes = createInformer({ client, resource: NODES, clock, log, fieldSelector: `metadata.name=${options.nodeName}` });
	const nodeChanged = new Condition();
	nodes.subscribe(() => nodeChanged.changed());
	let keeping: NodeKeeper | undefined;
	const figures = new AgentMetrics(options.nodeName);
	componentMetrics(deps.metrics, options.version, clock);
	figures.cgroupVersion.set(await cgroupVersion());
	const startup = new NodeStartup(figures.registry, clock, cpu.bootedAtMs);
	const unsafeSysctls = settingsIn(options).allowedUnsafeSysctls;
	const wake = (uid: string): void => workers.wake(uid);
	const placed = await placementParts({ options, deps, host, metrics: figures, signal: stop, changed: () => keeping?.soon(), wake });
	const dra = await draParts(options, { clock, log, client, figures: figures.dynamic }, host.bootId, wake);
	const tokens = new Tokens(client, clock);
	const [{ groups, rules, runtimeIsOld }, appArmor, resizes, images, users, found] = await Promise.all([
		openGroups(options, runtime, log, signal),
		hasAppArmor(),
		Resizes.open(
			{
				clock,
				node: () => nodes.lister.get(options.nodeName),
				fixed: (pod, before) => resizeFault(pod, before, placed),
				event: (pod, ...event) => podEvent(context, pod, ...event),
				figures: figures.resizes,
			},
			options.rootDir,
			log,
		),
		imageParts(options, { client, clock, log, tokens, registry: figures.registry }),
		openUsers(options.rootDir, node.idsPerPod, maxPods, log),
		runtime.pods(signal),
	]);
	if (runtimeIsOld) figures.losesSupport(NEEDS_RUNTIME_CONFIG);
	let lastStatus = status;
	const context: AgentContext = {
		...deps,
		client,
		runtime: measured(runtime, figures, clock),
		host,
		groups,
		resizes,
		placed,
		dra,
		resourceRules: rules,
		figures,
		options,
		recorder,
		objects: new Objects(client),
		followed: new FollowedObjects({ client, clock, log }),
		tokens,
		users,
		images,
		csi: new CsiVolumes({ client, clock, log }),
		services,
		node: () => nodes.lister.get(options.nodeName),
		nodeChanged,
		allocatable: capacity.allocatable,
		hostRefusal: (pod) => (shutdown.isUnderWay ? NODE_SHUTDOWN : hostRefusal(pod, { appArmor, unsafeSysctls })),
		networkFault: () => (lastStatus.networkReady ? '' : lastStatus.message),
		hostname: host.hostname,
		hostDns,
		runtimeName: status.name,
		runtimeHandlers: () => lastStatus.handlers,
	};
	const mirrors = new Mirrors({ client, clock, log, metrics: deps.metrics, node: context.node, changed: (uid) => workers.shownAnew(uid) });
	const workers = new PodWorkers(context, found, stop, (pod) => (isStatic(pod) ? mirrors.of(pod) : pod));
	const shutdown = shutdownOf(context, workers, () => keeping?.soon());
	const sourcesRead = Promise.withResolvers<void>();
	const statics = staticParts(context, mirrors, workers, () => sourcesRead.resolve());
	context.followed.begin(stop, wake);
	await findUsers(context);
	const bound = (): readonly Pod[] => runningPods(pods.lister.list(), statics.pods.pods);
	const volumes = new VolumeStats(context, bound, stop);
	const server = await startServer({
		context,
		pods: bound,
		volumes,
		count: () => countPods(figures, workers.lives, mirrors.count),
		rates: new CpuRates(),
		fault: () => health.fault(),
	});
	const parts: Promise<void>[] = [];
	const part = (run: Promise<void>): void => {
		parts.push(run.catch((error: unknown) => (stop.aborted ? undefined : fail(error))));
	};
	let failure: { readonly error: unknown } | undefined;
	const fail = (error: unknown): void => {
		failure ??= { error };
		ended.abort(error);
	};
	part(shutdown.run(stop));
	part(recorder.run(stop, () => {}));
	part(volumes.run());
	part(services.run(stop, () => {}));
	part(nodes.run(stop, () => {}));
	pods.subscribe((change) => statics.changed(change));
	part(statics.run(stop));
	part(pods.run(stop, () => {}));
	part(
		runPleg(
			{
				runtime: context.runtime,
				clock,
				log,
				figures,
				health,
				wake,
				seen: async (all) => {
					if (known()) await workers.endUnknown(all);
				},
				back: () => workers.wakeAll(),
			},
			stop,
		),
	);
	const tellNode = (type: 'Normal' | 'Warning', reason: string, message: string): void => nodeEvent(context, type, reason, message);
	const alone = options.standalone === true;
	const known = (): boolean => (alone || pods.hasSynced) && statics.pods.complete;
	const apiRead = alone ? Promise.resolve() : pods.synced(stop).then(() => mirrors.apiSynced());
	const collector = new Collector({
		context,
		workers,
		known,
		event: tellNode,
	});
	part(collector.run(stop));
	const registered = Promise.withResolvers<void>();
	part(runCsi(context, registered.promise, { wake, known }, stop));
	const evictor = new Evictor({
		context,
		workers: () => workers,
		reclaim: { containers: (at) => collector.collect(at, true), images: (at) => collector.images.removeUnused(at) },
		allocatableMemory: () => groups.allocatableMemory(),
		event: tellNode,
		changed: () => keeping?.soon(),
	});
	part(placed.run(context.runtime, stop));
	part(servePlacement(context, () => workers.active, stop));
	part(evictor.run(stop));
	part(keepChains(node.packetChains, { clock, log }, stop));
	part(tellSystemOoms(options.kernelLog, { clock, log, event: tellNode }, stop));
	part(enforceAllocatable({ groups, host, settings: settingsIn(options).resources, event: tellNode, clock }, stop));
	const about = {
		options,
		deps, // with its client without a limit: a heartbeat waits for no other request, as upstream's does not
		host,
		capacity,
		devices: () => placed.devices.counts(),
		recorder,
		port: server.port,
		pressure: () => evictor.pressure,
	};
	part(
		Promise.all([apiRead, abortable(sourcesRead.promise, stop)]).then(() => {
			workers.endOrphans(found);
		}),
	);
	const look = {
		...about,
		answered: (latest: RuntimeStatus) => (lastStatus = latest),
		faults: () => [health.fault(), shutdown.fault()],
	};
	part(
		alone
			? keepLooking(look, stop, ready)
			: NodeKeeper.register({ ...look, startup, volumesInUse: () => context.csi.inUse() }, stop).then(async (keeper) => {
					keeping = keeper;
					context.csi.used = () => keeper.soon();
					registered.resolve();
					const { swapBytes } = host;
					const { resolvConf } = node;
					await sayHostLimits({ event: tellNode, log, swapBytes, resolvConf, clusterDomain: options.clusterDomain });
					await keeper.run(stop, ready);
				}),
	);
	await Promise.all(parts);
	await workers.allEnded();
	// What cannot be saved has been told of.
	await Promise.allSettled([resizes.saved(), placed.placement.saved()]);
	await server.close();
	if (failure !== undefined && !signal.aborted) throw failure.error;
}
