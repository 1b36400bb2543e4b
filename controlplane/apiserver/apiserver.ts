/** The API server: wires store, registry, pipeline and servers by hand, and runs them as one Service. */
import { aborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import { processMetrics } from '../../base/process-metrics.ts';
import { QuietCollection } from '../../base/quiet-collection.ts';
import type { Service } from '../../base/service.ts';
import { Turns } from '../../base/turns.ts';
import { featureMetrics } from '../../api/feature-metrics.ts';
import { RESOURCES } from '../../api/resources.ts';
import type { Transport } from '../../client/transport.ts';
import type { Store } from '../storage/store.ts';
import type { Auditor } from './audit/auditor.ts';
import { Parsed } from './answer/parsed.ts';
import type { AuthenticatorChain } from './authn/chain.ts';
import { Impersonation } from './authn/impersonation.ts';
import type {
	AdmissionAttributes,
	AdmissionPlugin,
	ApiRequest,
	Authorizer,
	Handler,
	ObjectReader,
	ObjectWriter,
	SubresourceHandler,
	UserInfo,
} from './contracts.ts';
import type { BodyCodec } from './request/body-codec.ts';
import { Closing } from './closing.ts';
import { Compaction } from './compaction.ts';
import { CollectionSizes } from './fairness/collection-sizes.ts';
import type { Startup } from './discovery/standard-checks.ts';
import { Fairness, type FairnessOptions } from './fairness/fairness.ts';
import { InFlightLimits } from './fairness/in-flight-limits.ts';
import type { Guards } from './guards/guard.ts';
import { inProcessTransport } from './in-process.ts';
import { ownClient } from './own-client.ts';
import { StoreReader } from './registry/object-reader.ts';
import { storeWriter } from './registry/object-writer.ts';
import { allocationMetrics, deprecationMetrics } from './metrics/cluster-metrics.ts';
import { AdmissionMetrics } from './metrics/admission-metrics.ts';
import { FilterMetrics } from './metrics/filter-metrics.ts';
import { IdentityMetrics } from './metrics/identity-metrics.ts';
import { ImpersonationMetrics } from './metrics/impersonation-metrics.ts';
import { constantMetrics } from './metrics/constant-metrics.ts';
import { registeredMetrics } from './metrics/exposition.ts';
import { inFlightMetrics } from './metrics/in-flight-metrics.ts';
import { ListMetrics } from './metrics/list-metrics.ts';
import { envelopeMetrics } from '../storage/encryption/transformations.ts';
import { measuredStore } from './metrics/measured-store.ts';
import { diskMetrics, storeMetrics, WatchEventMetrics } from './metrics/store-metrics.ts';
import { admitMutating, admitValidating, type Measures, type Parts } from './registry/context.ts';
import { Kinds } from './registry/kinds.ts';
import { OpenWatches } from './registry/open-watches.ts';
import { MIN_WATCH_MS } from './registry/watch.ts';
import { builtInKinds } from './registry/built-in-kinds.ts';
import { Resources } from './registry/resources.ts';
import { IpRange } from './allocation/ip-range.ts';
import { Repair } from './allocation/repair.ts';
import { ServiceAllocator } from './allocation/service-allocator.ts';
import { bodyCodec } from './request/body.ts';
import { TIMEOUT_MS } from './request/deadline.ts';
import { RequestMetrics } from './request/metrics.ts';
import { Pipeline } from './request/pipeline.ts';
import { serveTls, type ServerOptions } from './serving/server.ts';

/** Upstream's. */
export const DEFAULT_NODE_PORTS = [30_000, 32_767] as const;

export interface ApiServerOptions {
	/** Absent: reachable in process only. */
	readonly listen?: ServerOptions;
	/** "10.0.0.0/24": the default range of cluster IPs, with a comma and one of the other family where the cluster has both. */
	readonly serviceCidr: string;
	/** First and last node port; 30000–32767 unless told. */
	readonly nodePorts?: readonly [number, number];
	readonly after?: readonly string[];
	/** Absent: no request waits for another one (upstream's --enable-priority-and-fairness=false). */
	readonly fairness?: FairnessOptions | undefined;
	/** How long Events are kept; 0: for ever. An hour unless told. */
	readonly eventTtlMs?: number | undefined;
	/** How old the oldest readable version is, about; 0: nothing is forgotten. Five minutes unless told. */
	readonly compactionMs?: number | undefined;
	/** How long watches last at least whose clients do not say it, and up to twice as long. Half an hour unless told. */
	readonly minWatchMs?: number | undefined;
	/** Then only so many are served at once, and the others refused; absent: all. */
	readonly maxInFlight?: FairnessOptions | undefined;
	/** The part of the requests over HTTP/2 after which the connection is to be given up (upstream's --goaway-chance); none unless told. */
	readonly goAwayChance?: number | undefined;
	/** How many streams a connection of HTTP/2 takes at once; a thousand unless told, and for 0. */
	readonly maxStreams?: number | undefined;
	/** How long it serves on, not ready any more, once it is told to stop. */
	readonly shutdownDelayMs?: number | undefined;
	/** Over how long watches end then; all at once unless told. */
	readonly shutdownWatchGraceMs?: number | undefined;
	/** Takes connections until all requests are served, and refuses what comes with 429; else it takes none. */
	readonly shutdownSendsRetryAfter?: boolean | undefined;
	/** How long a request may take at most; a minute unless told. */
	readonly requestTimeoutMs?: number | undefined;
	/** Told of the steps of start and stop, which health checks are about. */
	readonly startup?: Startup | undefined;
}

/** What the parts that come from outside (authorizers, admission, subresources) work with. */
export interface ApiServerParts {
	readonly reader: ObjectReader;
	readonly writer: ObjectWriter;
	readonly codec: BodyCodec;
	readonly kinds: Kinds;
	readonly fairness: Fairness | undefined;
	/** All plugins, on what is posted but not stored. */
	admit(attributes: AdmissionAttributes, signal: AbortSignal, prepare?: () => void): Promise<void>;
	transport(user: UserInfo): Transport;
}

export interface ApiServerDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
	/** Called once with the parts; what they give back takes part in every request. */
	readonly extensions: (parts: ApiServerParts) => Promise<ApiServerExtensions>;
}

export interface ApiServerExtensions {
	readonly authenticator: AuthenticatorChain;
	readonly authorizer: Authorizer;
	readonly admission: readonly AdmissionPlugin[];
	readonly guards: Guards;
	readonly subresources: readonly SubresourceHandler[];
	/** Serves paths that are no resource (discovery, health, metrics, …). */
	readonly paths: (path: string) => Handler | undefined;
	/** Serves paths that another server is behind. */
	readonly aggregated?: ((path: string) => Handler | undefined) | undefined;
	/** Writes down who did what; absent: nobody does. */
	readonly auditor?: Auditor | undefined;
}

export interface ApiServer extends Service, ApiServerParts {
	/** Where it listens, once ready. */
	readonly address: { readonly port: number } | undefined;
}

export async function createApiServer(options: ApiServerOptions, deps: ApiServerDeps): Promise<ApiServer> {
	const { clock, log } = deps;
	const store = measuredStore(deps.store, deps.metrics, clock);
	const parsed = new Parsed();
	const kinds = new Kinds();
	for (const kind of builtInKinds(RESOURCES, options.eventTtlMs)) kinds.add(kind);
	const admission: AdmissionPlugin[] = [];
	const { nodePorts = DEFAULT_NODE_PORTS } = options;
	const families = options.serviceCidr.split(',').map((cidr) => new IpRange(cidr).family);
	const allocator = new ServiceAllocator({ kinds, store, parsed, clock, families, nodePorts, metrics: deps.metrics });
	const admissionMetrics = new AdmissionMetrics(deps.metrics, clock);
	const watchEvents = new WatchEventMetrics(deps.metrics);
	const lists = new ListMetrics(deps.metrics);
	const measures: Measures = {
		step: (type, attributes, work) => admissionMetrics.step(type, attributes, work),
		watchEvents: (kind) => watchEvents.of(kind),
		listed: (kind, found) => lists.listed(kind, found),
		begun: (kind, objects) => lists.begun(kind, objects),
		watchListed: (kind, scope, seconds) => watchEvents.listed(kind, scope, seconds),
	};
	storeMetrics(deps.metrics, store, kinds);
	deps.store.sealing?.counted?.register(deps.metrics);
	envelopeMetrics(deps.metrics);
	diskMetrics(deps.metrics, store);
	processMetrics(deps.metrics, clock);
	featureMetrics(deps.metrics);
	constantMetrics(deps.metrics);
	registeredMetrics(deps.metrics);
	const turns = new Turns(clock);
	const watches = new OpenWatches();
	const { minWatchMs = MIN_WATCH_MS } = options;
	const parts: Parts = { store, clock, turns, watches, parsed, admission, allocator, measures, minWatchMs };
	const reader = new StoreReader(store, parsed, kinds, turns, log);
	allocationMetrics(deps.metrics, reader, nodePorts);
	const writer = storeWriter(parts, kinds);
	const late: { pipeline?: Pipeline } = {};
	const sizes = new CollectionSizes(store, kinds, clock);
	const fairness =
		options.fairness === undefined
			? undefined
			: new Fairness(options.fairness, { clock, metrics: deps.metrics, sizeOf: (info) => sizes.of(info) });
	const { maxInFlight, requestTimeoutMs = TIMEOUT_MS } = options;
	const limits = fairness === undefined && maxInFlight !== undefined ? new InFlightLimits(maxInFlight, clock) : undefined;
	const counted = fairness ?? limits;
	if (counted !== undefined) inFlightMetrics(deps.metrics, counted.inFlight, clock);
	const shared: ApiServerParts = {
		reader,
		writer,
		codec: bodyCodec,
		kinds,
		fairness,
		async admit(attributes, signal, prepare) {
			await admitMutating(parts, attributes, signal);
			prepare?.();
			await admitValidating(parts, attributes, signal);
		},
		transport: (user) => inProcessTransport(late.pipeline as Pipeline, user),
	};
	const { authenticator, authorizer, guards, paths, aggregated, auditor, ...given } = await deps.extensions(shared);
	admission.push(...given.admission.map((plugin) => admissionMetrics.timed(plugin)));
	const resources = new Resources({ ...parts, authorizer, guards }, kinds, given.subresources, deprecationMetrics(deps.metrics));
	const impersonation = new Impersonation({ authorizer, clock, metrics: new ImpersonationMetrics(deps.metrics) });
	const nursery = new QuietCollection(() => late.pipeline?.open === 0);
	const pipeline = new Pipeline({
		clock,
		turns,
		log,
		authorizer,
		metrics: new RequestMetrics(deps.metrics, (info) => resources.has(info)),
		identities: new IdentityMetrics(deps.metrics),
		filters: new FilterMetrics(deps.metrics),
		resources: (info, request) => resources.serve(info, request),
		paths,
		aggregated,
		fairness,
		limits,
		requestTimeoutMs,
		auditor,
		quiet: () => nursery.quiet(),
		impersonate: (request, asking) =>
			asksToImpersonate(request) ? impersonation.become(request.headers, request.repeated, asking(), request.signal) : undefined,
	});
	late.pipeline = pipeline;
	const compaction = new Compaction(store, clock, log, options.compactionMs);
	const closing = new Closing();
	let address: { readonly port: number } | undefined;
	return {
		...shared,
		name: 'apiserver',
		after: options.after ?? [],
		get address() {
			return address;
		},
		async run(signal, ready) {
			const checked = Promise.withResolvers<void>();
			const repair = new Repair({ allocator, reader, client: ownClient(shared), kinds, store, clock, log, turns, nodePorts });
			const looked = checked.promise.then(() => options.startup?.done('repaired'));
			const upkeep = Promise.all([compaction.run(signal), repair.run(signal, checked.resolve)]);
			if (options.listen === undefined) {
				await Promise.race([looked, upkeep]);
				ready();
				await upkeep;
				await auditor?.close();
				return;
			}
			const { goAwayChance, maxStreams } = options;
			const server = await serveTls(options.listen, pipeline, authenticator, { clock, log, closing, goAwayChance, maxStreams });
			address = { port: server.port };
			log.info('serving the API', { port: server.port });
			await Promise.race([looked, upkeep]);
			ready();
			await aborted(signal);
			options.startup?.stopping();
			await upkeep;
			// Those who send requests here look at readyz, and need a while to see it.
			await clock.sleep(options.shutdownDelayMs ?? 0);
			const turnsAway = options.shutdownSendsRetryAfter === true;
			closing.begin(turnsAway ? 'turning away' : 'retiring');
			if (!turnsAway) server.retire();
			const { shutdownWatchGraceMs: graceMs = 0 } = options;
			const watched = graceMs > 0 ? watches.closeWithin(graceMs, turns, clock) : watches.close(turns);
			await Promise.all([watched, drained(pipeline, clock, requestTimeoutMs)]);
			if (turnsAway) server.retire();
			await server.close();
			await auditor?.close();
			reader.close();
		},
	};
}

/** Requests that are on their way are served to their end, which none may take longer for; streams are not waited for. */
async function drained(pipeline: Pipeline, clock: Clock, mostMs: number): Promise<void> {
	const until = clock.monotonic() + mostMs;
	while (pipeline.open > 0 && clock.monotonic() < until) await clock.sleep(10);
}

const IMPERSONATE = 'impersonate-';

/** Nearly no request does: this look must cost nothing, and to go through an object's names costs more than through a list. */
function asksToImpersonate({ headers, repeated }: ApiRequest): boolean {
	if (repeated !== undefined) return repeated.anyBeginning(IMPERSONATE);
	for (const name in headers) if (name.startsWith(IMPERSONATE)) return true;
	return false;
}
