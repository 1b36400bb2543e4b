/** The pod side of an agent on virtual time: real workers over a simulated runtime and an API in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event, Node, Pod, PodSpec } from '../../api/gen/types.ts';
import { PODS, SERVICES } from '../../api/resources.ts';
import type { KubeletSettings } from '../../agent/config/settings.ts';
import { podEvent, type AgentContext } from '../../agent/context.ts';
import { CsiVolumes } from '../../agent/csi/csi-volumes.ts';
import { AgentMetrics } from '../../agent/metrics.ts';
import type { HostFacts } from '../../host/facts.ts';
import type { Topology } from '../../host/topology.ts';
import { PodWorkers } from '../../agent/pod/workers.ts';
import { draParts } from '../../agent/dra/of-agent.ts';
import { PlegHealth } from '../../agent/pod/pleg-health.ts';
import { runPleg } from '../../agent/pod/pleg.ts';
import { SimulatedRuntime, type SimulatedOptions } from '../../agent/runtime/simulated.ts';
import { Records } from '../../agent/resize/records.ts';
import { Resizes } from '../../agent/resize/resizes.ts';
import { placementParts } from '../../agent/topology/of-agent.ts';
import { Mirrors } from '../../agent/static/mirrors.ts';
import { staticParts, type StaticParts } from '../../agent/static/run-static.ts';
import { isStatic } from '../../agent/static/static-pod.ts';
import { defaultSpan, ID_UNIT } from '../../agent/users/id-range.ts';
import { UserNamespaces } from '../../agent/users/user-namespaces.ts';
import { FollowedObjects } from '../../agent/volume/followed-objects.ts';
import { Objects } from '../../agent/volume/objects.ts';
import { Tokens } from '../../agent/volume/tokens.ts';
import { noLog, type Log } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { Condition } from '../../base/condition.ts';
import { idle, VirtualClock } from '../../base/virtual-clock.ts';
import { createRecorder } from '../../client/events.ts';
import { createInformer } from '../../client/informer.ts';
import { createClient } from '../../client/rest.ts';
import { noClaims } from './no-claims.ts';
import { noPlacement } from './no-placement.ts';
import { NO_GROUPS } from './no-groups.ts';
import { NO_USERS } from './no-users.ts';
import { FakeTransport } from './fake-transport.ts';

const NODE = 'node';
const HOST: HostFacts = {
	...{ hostname: NODE, machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: '6', osImage: 'Linux', architecture: 'amd64' },
	...{ cpus: 4, memoryBytes: 2 ** 32, swapBytes: 0, hugePages: {} },
};
/** Four cores with a thread each, all near one memory. */
const TOPOLOGY: Topology = {
	cpus: [0, 1, 2, 3].map((id) => ({ id, core: id, socket: 0, numa: 0, cache: 0 })),
	nodes: [{ id: 0, memoryBytes: HOST.memoryBytes, hugePages: {}, distances: [10] }],
};
const START = Date.UTC(2026, 0, 1);

export class SimulatedNode implements AsyncDisposable {
	readonly clock: VirtualClock;
	readonly runtime: SimulatedRuntime;
	readonly transport: FakeTransport;
	readonly rootDir: string;
	/** Where the pods' own folders are, and their logs. */
	readonly context: AgentContext;
	/** What keeps pods from having a network. */
	networkFault = '';
	#node: Node | undefined;
	readonly #services;
	#stop = new AbortController();
	#running: Promise<unknown> = Promise.resolve();
	#workers: PodWorkers | undefined;
	#statics: StaticParts | undefined;

	private constructor(rootDir: string, options: Omit<SimulatedOptions, 'clock'>, log: Log) {
		this.rootDir = rootDir;
		this.clock = new VirtualClock(START, 1, () => idle(6));
		this.runtime = new SimulatedRuntime({ clock: this.clock, ...options });
		this.transport = new FakeTransport(this.clock);
		const client = createClient(this.transport);
		const [clock, metrics] = [this.clock, createMetrics()];
		this.#services = createInformer({ client, resource: SERVICES, clock, log });
		const recorder = createRecorder({ client, clock, log, component: 'kubelet', host: NODE });
		const figures = new AgentMetrics(NODE);
		this.context = {
			...{ client, clock, log, metrics, recorder, runtime: this.runtime },
			options: {
				...{
					nodeName: NODE,
					rootDir,
					podLogsDir: join(rootDir, 'logs'),
					nodeIps: ['192.0.2.1'],
					clusterDns: ['192.0.2.53'],
					clusterDomain: 'c',
				},
				...{ port: 0, serving: () => ({ certPem: '', keyPem: '' }), clientCas: () => '', cgroupParent: '', version: 'v1.36.0' },
			},
			objects: new Objects(client),
			followed: new FollowedObjects({ client, clock, log }),
			tokens: new Tokens(client, clock),
			users: NO_USERS,
			csi: new CsiVolumes({ client, clock, log }),
			services: this.#services,
			node: () => this.node,
			nodeChanged: new Condition(),
			allocatable: { cpu: '4', memory: '4Gi', pods: '110' },
			host: HOST,
			groups: NO_GROUPS,
			resizes: new Resizes(
				{ clock, node: () => this.node, event: () => {}, figures: figures.resizes },
				Records.inMemory(log),
				Records.inMemory(log),
			),
			placed: noPlacement(clock, log),
			dra: noClaims(client, clock, log),
			resourceRules: { cpuQuota: true, cpuPeriodUs: 100_000, oomGroup: false },
			figures,
			networkFault: () => this.networkFault,
			hostname: NODE,
			hostDns: { servers: [], searches: [], options: [] },
			runtimeName: 'simulated',
			runtimeHandlers: () => [],
		};
	}

	/** This node as the API has it. */
	get node(): Node | undefined {
		return this.#node;
	}

	set node(node: Node | undefined) {
		this.#node = node;
		this.context.nodeChanged.changed();
	}

	static async start(options: Omit<SimulatedOptions, 'clock'> = {}, log = noLog): Promise<SimulatedNode> {
		const node = new SimulatedNode(await mkdtemp(join(tmpdir(), 'kubeling-node-')), options, log);
		await node.startAgent();
		return node;
	}

	/** As a process that has just been started: knows what the runtime and the API know, and these manifests. */
	async startAgent(manifests: readonly Pod[] = []): Promise<void> {
		this.#stop = new AbortController();
		const { signal } = this.#stop;
		const { clock, client, log, figures } = this.context;
		const found = await this.runtime.pods();
		const { node: nodeOf } = this.context;
		const resizes = await Resizes.open(
			{ clock, node: () => this.node, event: (pod, ...event) => podEvent(this.context, pod, ...event), figures: figures.resizes },
			this.rootDir,
			log,
		);
		const { options } = this.context;
		const wake = (uid: string): void => workers.wake(uid);
		const given = { options, deps: this.context, host: HOST, metrics: figures, signal, changed: () => {}, wake };
		const placed = await placementParts({ ...given, topology: TOPOLOGY });
		const dra = await draParts(options, { ...this.context, figures: this.context.figures.dynamic }, this.context.host.bootId, wake);
		const users = await UserNamespaces.open({ rootDir: this.rootDir, idsPerPod: ID_UNIT, maxPods: 110, span: defaultSpan(ID_UNIT) });
		Object.assign(this.context, { resizes, placed, dra, users });
		const mirrors: Mirrors = new Mirrors({
			client,
			clock,
			log,
			metrics: this.context.metrics,
			node: nodeOf,
			changed: (uid) => workers.shownAnew(uid),
		});
		const workers = new PodWorkers(this.context, found, signal, (pod) => (isStatic(pod) ? mirrors.of(pod) : pod));
		this.#workers = workers;
		const statics = staticParts(this.context, mirrors, workers, () => {});
		this.#statics = statics;
		this.context.followed.begin(signal, wake);
		this.context.csi.begin(signal);
		const recorder = createRecorder({ client, clock, log, component: 'kubelet', host: NODE });
		Object.assign(this.context, { recorder });
		const pods = createInformer({ client, resource: PODS, clock, log });
		pods.subscribe((change) => statics.changed(change));
		this.#running = Promise.all([
			recorder.run(signal, () => {}),
			this.#services.run(signal, () => {}).catch(() => {}),
			pods.run(signal, () => {}).catch(() => {}),
			statics.run(signal),
			placed.run(this.runtime, signal),
			pods.synced(signal).then(
				() => {
					mirrors.apiSynced();
					if (manifests.length > 0) statics.pods.found('file', manifests);
					workers.endOrphans(found);
				},
				() => {},
			),
			runPleg(
				{
					runtime: this.runtime,
					clock,
					log,
					figures,
					health: new PlegHealth(clock),
					wake,
					seen: (all) => workers.endUnknown(all),
					back: () => workers.wakeAll(),
				},
				signal,
			),
		]).then(() => workers.allEnded());
		await this.advance(0);
	}

	/** Of the agent that runs now. */
	get workers(): PodWorkers {
		if (this.#workers === undefined) throw new Error('no agent runs');
		return this.#workers;
	}

	/** The static pods of a source are these now. */
	async setStatic(pods: readonly Pod[]): Promise<void> {
		this.#statics?.pods.found('file', pods);
		await this.advance(0);
	}

	/** As a process that is killed. */
	async stopAgent(): Promise<void> {
		this.#stop.abort();
		await this.#running;
		await Promise.all([this.context.resizes.saved(), this.context.placed.placement.saved()]);
	}

	/** What the agent goes by from its next start on. */
	configure(kubelet: KubeletSettings): void {
		Object.assign(this.context, { options: { ...this.context.options, kubelet } });
	}

	/** Makes a pod bound to this node; its one container is "c" unless told. */
	async create(name: string, spec: Partial<PodSpec> = {}, metadata: Pod['metadata'] = {}): Promise<void> {
		const whole: PodSpec = { nodeName: NODE, restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }], ...spec };
		const pod: Pod = { metadata: { name, generation: 1, ...metadata }, spec: whole, status: { phase: 'Pending' } };
		this.transport.api.create('/api/v1/pods', pod, 'n');
		await this.advance(0);
	}

	async update(name: string, change: (pod: Pod) => void): Promise<void> {
		const pod = structuredClone(this.transport.api.get('/api/v1/pods', `n/${name}`)) as Pod;
		change(pod);
		this.transport.api.update('/api/v1/pods', `n/${name}`, pod);
		await this.advance(0);
	}

	/** As the API server marks it: the agent is to end it. */
	delete(name: string, graceSeconds = 30): Promise<void> {
		return this.update(name, ({ metadata }) => {
			metadata.deletionTimestamp = new Date(this.clock.now() + graceSeconds * 1000).toISOString();
			metadata.deletionGracePeriodSeconds = graceSeconds;
		});
	}

	/** Undefined once it is gone. */
	pod(name: string): Pod | undefined {
		return this.transport.api.list('/api/v1/pods', (o) => o.metadata.name === name)[0] as Pod | undefined;
	}

	/** "Reason: message" of every event about the pod, in the order of their first time. */
	events(name: string): readonly string[] {
		const events = this.transport.api.list('/api/v1/events', () => true) as readonly Event[];
		return events
			.filter((e) => e.involvedObject.name === name)
			.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
			.map((e) => `${e.reason ?? ''}: ${e.message ?? ''}`);
	}

	advance(ms: number): Promise<void> {
		return this.clock.advance(ms);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stopAgent();
		await rm(this.rootDir, { recursive: true, force: true });
	}
}
