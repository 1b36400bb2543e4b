/** A whole cluster, from options to running parts: finds what it needs, settles names and ports, makes the keys, starts everything in order. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { abortable } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Log, LogLevel } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { runServices, type Service } from '../base/service.ts';
import type { Client } from '../client/client.ts';
import type { Store } from '../controlplane/storage/store.ts';
import { chooseSubnet } from '../cri/network/bridge.ts';
import { gatewayOf, parseSubnet } from '../cri/network/subnet.ts';
import { defaultAddress } from '../host/interfaces.ts';
import { readAccess } from './access.ts';
import { announcementService } from './announcement.ts';
import { bundled } from './bundled.ts';
import { checkStart } from './check-start.ts';
import { readClusterState, writeClusterState } from './data-folder.ts';
import { diagnose, readHostFacts } from './doctor.ts';
import { AppError } from '../base/errors.ts';
import { ensureEngine, type Engine } from './engine.ts';
import type { ClusterEvent } from './events.ts';
import { isolated } from './isolated.ts';
import { CLUSTER_DOMAIN, layout, SERVICE_SUBNET } from './layout.ts';
import { settle, type ClusterOptions, type SettledOptions } from './options.ts';
import { lockDataFolder } from './lock.ts';
import { endPartsLeft } from './part-processes.ts';
import { clientOf } from './parts/client.ts';
import type { PartConfigs } from './parts/config.ts';
import { keepTrying } from './parts/keep-trying.ts';
import { openingStore } from './parts/store.ts';
import { FIRST_LEAVES, loadPki, type Pki, type PkiNames } from './pki.ts';
import { freePort, requireFree, takeFree } from './ports.ts';
import { renewalService } from './renewal.ts';
import { Reservations } from './reservations.ts';
import { usable, type WhenUsable } from './usable.ts';

export interface ClusterDeps {
	readonly clock: Clock;
	readonly log: Log;
	/** Install and start an engine where there is none and that is allowed. */
	readonly install: boolean;
	readonly onEvent: (event: ClusterEvent) => void;
	/** For parts of their own: the command's entry point, and where their lines go. */
	readonly launcher?: string;
	readonly logLevel?: LogLevel;
	readonly onLine?: (line: string) => void;
}

const DEFAULT_PORT = 6443;
/** Any port lies between this and twice as much: below what the kernel hands out to connections, so that a stopped cluster finds its port free again. */
const ANY_PORT = 12_000;
const KUBELET_PORT = 10250;

/** Runs the cluster until the signal aborts. Containers outlive it. AppErrors are plain messages with the next step. */
export async function runCluster(options: ClusterOptions, deps: ClusterDeps, signal: AbortSignal): Promise<void> {
	const { clock, onEvent } = deps;
	const started = clock.monotonic();
	const first = settle(options);
	await checkStart(first.dataDir);
	await using _lock = await lockDataFolder(first.dataDir);
	await endPartsLeft(first.dataDir, clock);
	const before = await readClusterState(first.dataDir);
	const settled = settle(options, before);
	const step = async <T>(text: string, done: (result: T) => string, work: () => Promise<T>): Promise<T> => {
		onEvent({ type: 'step', text });
		const from = clock.monotonic();
		const result = await work();
		onEvent({ type: 'done', text: done(result), ms: clock.monotonic() - from });
		return result;
	};

	const engine = await step(
		'Finding Docker Engine',
		(e) => `Docker Engine ${e.version}`,
		async () => {
			const found = await ensureEngine(settled.dockerHost, deps.install, clock, (text) => onEvent({ type: 'step', text }));
			await requireHost(found);
			return found;
		},
	);
	await using reservations = new Reservations(clock);
	const hostAddress = (await defaultAddress()) ?? '127.0.0.1';
	const podSubnet = await chooseSubnet(undefined, before?.podSubnet, (subnet) => reservations.reserve(`network-${subnet}`));
	const podGateway = gatewayOf(parseSubnet(podSubnet));
	const port = await apiPort(settled, clock, reservations);
	const kubeletPort = await nodePort(before?.kubeletPort, reservations);
	await writeClusterState(settled.dataDir, {
		name: settled.name,
		port,
		kubeletPort,
		podSubnet,
		serviceSubnet: SERVICE_SUBNET,
		nodeName: settled.nodeName,
		etcd: settled.etcd,
		encryptionConfigFile: settled.encryptionConfigFile,
		schedulerConfigFile: settled.schedulerConfigFile,
		kubeletConfigFile: settled.kubeletConfigFile,
		kubeletConfigDir: settled.kubeletConfigDir,
		apiserverFlags: settled.apiserverFlags,
	});

	const names: PkiNames = {
		nodeName: settled.nodeName,
		clusterDomain: CLUSTER_DOMAIN,
		apiserverAddresses: [...new Set(['127.0.0.1', '::1', hostAddress, podGateway, firstAddress(SERVICE_SUBNET)])],
		nodeAddresses: [...new Set(['127.0.0.1', hostAddress])],
	};
	const configs = layout(settled, { port, kubeletPort, podSubnet, podGateway, hostAddress, dockerHost: engine.host });
	await Promise.all(
		[configs.agent.rootDir, configs.agent.podLogsDir, join(settled.dataDir, 'store')].map((dir) =>
			mkdir(dir, { recursive: true, mode: 0o755 }),
		),
	);
	// The database is opened beside the keys: most of it is a thread of its own.
	await using opening = settled.isolate ? undefined : openingStore(configs.apiserver, deps, signal);
	const pkiDir = join(settled.dataDir, 'pki');
	let pki: Pki<(typeof FIRST_LEAVES)[number]> = await step(
		'Loading keys and certificates',
		() => 'Keys and certificates',
		() => loadPki(pkiDir, names, clock, settled.isolate ? undefined : FIRST_LEAVES),
	);
	let loading: Promise<void> | undefined;
	const load = async (): Promise<void> => {
		pki = await loadPki(pkiDir, names, clock);
	};
	const loadAll = (): Promise<void> => (loading ??= load().finally(() => (loading = undefined)));

	const complete = Promise.withResolvers<void>();
	const whenUsable: WhenUsable = (stop) => abortable(complete.promise, stop);
	const place = opening === undefined ? apart(configs, settled, deps) : await together(configs, await opening.store, deps, whenUsable);
	const renewal = renewalService({ clock, log: deps.log, leaves: () => pki.leaves, load: loadAll });
	const announcement = announcementService(place.services, deps, {
		usable: (stop) => usable(place.client, settled.nodeName, stop, clock),
		tell: async () =>
			onEvent({
				type: 'ready',
				access: await readAccess(settled.dataDir),
				nodeName: settled.nodeName,
				dataDir: settled.dataDir,
				ms: clock.monotonic() - started,
				resumed: before !== undefined,
			}),
		afterwards: async (stop) => {
			if (opening !== undefined) await keepTrying(deps, 'certificates are missing; trying again', loadAll, stop);
			complete.resolve();
		},
	});
	await runServices([...place.services, renewal, announcement.service], signal, () => {}, announcement);
}

interface Place {
	readonly services: readonly Service[];
	readonly client: Client;
}

async function together(configs: PartConfigs, store: Store, { clock, log }: ClusterDeps, whenUsable: WhenUsable): Promise<Place> {
	const all = await bundled(configs, store, { clock, log, metrics: createMetrics() }, whenUsable);
	return { services: all.services, client: all.client };
}

function apart(configs: PartConfigs, { dataDir }: SettledOptions, deps: ClusterDeps): Place {
	const { clock, launcher = process.argv[1] ?? '', logLevel = 'info', onLine = () => {} } = deps;
	const admin = { ...configs.scheduler.api, certFile: join(dataDir, 'pki', 'admin.crt'), keyFile: join(dataDir, 'pki', 'admin.key') };
	return {
		services: isolated(configs, { launcher, dataDir, logLevel, onLine, clock, log: deps.log }),
		client: clientOf(admin, clock, 'kubeling'),
	};
}

/** The port to serve on: the one asked for or used before must be free; otherwise the first free one. */
async function apiPort({ port, bindAddress }: SettledOptions, clock: Clock, reservations: Reservations): Promise<number> {
	if (port === undefined) return freePort(DEFAULT_PORT, bindAddress, reservations);
	if (port === 0) return freePort(ANY_PORT + Math.floor(clock.random() * ANY_PORT), bindAddress, reservations);
	await requireFree(port, bindAddress, '--port', reservations);
	return port;
}

/** The one used before if nobody took it meanwhile: the Node says which it is. */
async function nodePort(before: number | undefined, reservations: Reservations): Promise<number> {
	if (before !== undefined && (await takeFree(before, '0.0.0.0', reservations))) return before;
	return freePort(KUBELET_PORT, '0.0.0.0', reservations);
}

/** Nothing is started on a host that cannot run pods. */
async function requireHost(engine: Engine): Promise<void> {
	const missing = diagnose(await readHostFacts(engine)).filter((finding) => finding.verdict === 'missing');
	if (missing.length > 0) throw new AppError('FailedPrecondition', missing.map(({ what, fix }) => `${what}. ${fix}`).join('\n'));
}

function firstAddress(cidr: string): string {
	return gatewayOf(parseSubnet(cidr));
}
