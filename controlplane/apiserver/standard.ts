/** The API server with everything it has by default: authentication, authorization, admission, subresources, discovery, bootstrap objects. */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createMetrics, type Registry } from '../../base/metrics.ts';
import { hostPort } from '../../base/host-port.ts';
import { buildMetrics, processStart, startMetrics } from '../../base/process-metrics.ts';
import { NAMESPACES } from '../../api/resources.ts';
import { createClient } from '../../client/rest.ts';
import type { Store } from '../storage/store.ts';
import { admissionPlugins, type AdmissionDeps } from './admission/plugins.ts';
import type { AdmissionSettings } from './admission/configuration/settings.ts';
import type { PluginChoice } from './admission/plugin-choice.ts';
import { IpRange } from './allocation/ip-range.ts';
import { createAuditor, type AuditOptions } from './audit/create-auditor.ts';
import { Aggregator } from './aggregation/aggregator.ts';
import { createApiServer, type ApiServer, type ApiServerOptions } from './apiserver.ts';
import { createAuthentication, type AuthenticationOptions } from './authn/authentication.ts';
import { oidcDiscovery } from './authn/oidc-discovery.ts';
import type { ServiceAccountTokens } from './authn/service-account-tokens.ts';
import type { AuthorizerOptions } from './authz/configuration.ts';
import { createAuthorization, DEFAULT_MODES } from './authz/authorizer.ts';
import { bootstrap } from './bootstrap/bootstrap.ts';
import { DefaultServiceCidr } from './bootstrap/default-service-cidr.ts';
import { IdentityLease } from './bootstrap/identity-lease.ts';
import { MasterLeases } from './bootstrap/master-leases.ts';
import type { Handler, ObjectReader, UserInfo } from './contracts.ts';
import { moveCustomResources } from './custom/moved.ts';
import { CustomResourceDefinitions } from './custom/definitions.ts';
import { servedKinds } from './discovery/served-kinds.ts';
import { Discovery } from './discovery/discovery.ts';
import { FairnessKeeper } from './fairness/keeper.ts';
import { Health } from './discovery/health.ts';
import { flagRoutes } from './discovery/flags.ts';
import { profilingRoutes } from './discovery/profiling.ts';
import { standardChecks, Startup, type StoreCheckMs } from './discovery/standard-checks.ts';
import { fairnessDumps } from './fairness/dumps.ts';
import { metricsHandler } from './discovery/metrics.ts';
import { nonResourceRoutes } from './discovery/routes.ts';
import { CustomMetrics } from './metrics/custom-metrics.ts';
import { aggregationMetrics, discoveryMetrics } from './metrics/cluster-metrics.ts';
import { versionHandler, versionInfo, type BuildInfo } from './discovery/version.ts';
import { CustomDocuments } from './openapi/additions.ts';
import { readDocumentation } from './openapi/documentation.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { followConfigurations, type ConfigurationFiles } from './reload/configuration-files.ts';
import type { FollowedFile } from './reload/followed-file.ts';
import type { BackendTls } from './subresources/proxy/backend.ts';
import { createSubresources } from './subresources/subresources.ts';
import { WebhookCaller } from './webhook/caller.ts';
import { Remote } from './webhook/remote.ts';
import type { WebhookUsers } from './webhook/users.ts';
import type { Component } from './subresources/component-statuses.ts';

export interface StandardOptions extends ApiServerOptions, Omit<AuthenticationOptions, 'objects' | 'clock' | 'metrics'> {
	/** Asked for each connection, so that a renewed certificate is taken up. */
	readonly kubeletTls: () => BackendTls;
	/** Of nodes' addresses those that reach their kubelets, in order; as kubeadm has it unless told. */
	readonly kubeletAddressTypes?: readonly string[] | undefined;
	/** The certificate by which aggregated API servers know that it is us who names the user; none unless told. */
	readonly proxyClient?: () => BackendTls;
	readonly build: BuildInfo;
	/** How long the health checks wait for the store; two seconds unless told. */
	readonly storeCheckMs?: StoreCheckMs | undefined;
	/** Where pods and nodes reach this server. */
	readonly advertiseAddress: string;
	readonly advertisePort: number;
	/** What componentstatuses tell of; nothing unless told. */
	readonly components?: () => readonly Component[];
	/** Asked in this order; Node and RBAC unless told. */
	readonly authorizers?: readonly AuthorizerOptions[] | undefined;
	/** Files of authentication and authorization that are read again when they change. */
	readonly configurations?: ConfigurationFiles | undefined;
	/** Where others find the keys of service-account tokens; at the advertised address unless told. */
	readonly jwksUri?: string | undefined;
	/** Admission plugins beside the usual ones, and usual ones that do not run. */
	readonly admissionPlugins?: PluginChoice | undefined;
	/** What admission plugins are told beside. */
	readonly admissionSettings?: AdmissionSettings | undefined;
	/** Serves /debug/pprof to those who may; so it is unless told. */
	readonly profiling?: boolean | undefined;
	/** Who did what is written down as the policy says; absent: nothing is. */
	readonly audit?: AuditOptions | undefined;
	/** What it was started with, shown at /flagz. */
	readonly flags?: Readonly<Record<string, string>>;
	/** Handlers of further single paths: OpenAPI documents and the like. */
	readonly paths?: ReadonlyMap<string, Handler>;
}

export interface StandardApiServer extends ApiServer {
	readonly serviceAccounts: ServiceAccountTokens;
}

/** Upstream's --max-requests-inflight and --max-mutating-requests-inflight. */
const DEFAULT_FAIRNESS = { maxRequests: 400, maxMutatingRequests: 200 };

/** The server itself, when it makes its bootstrap objects. */
const ITSELF: UserInfo = { name: 'system:apiserver', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };

interface Deps {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
}

export async function createStandardApiServer(options: StandardOptions, deps: Deps): Promise<StandardApiServer> {
	const { clock, log, metrics } = deps;
	// With others on the same etcd there is nothing to move: it always had them apart.
	if (!deps.store.shared) await moveCustomResources(deps.store, log);
	const disposables = new DisposableStack();
	let serviceAccounts: ServiceAccountTokens | undefined;
	const startup = new Startup();
	const slis = createMetrics();
	const startedAt = processStart(clock);
	startMetrics(slis, clock);
	const late: { definitions?: CustomResourceDefinitions; aggregator?: Aggregator; followed?: readonly FollowedFile[] } = {};
	const server = await createApiServer(
		{ fairness: DEFAULT_FAIRNESS, ...options, startup },
		{
			...deps,
			async extensions({ reader, writer, codec, kinds, fairness, admit }) {
				const { admissionSettings: settings = {} } = options;
				const caller = disposables.use(new WebhookCaller({ objects: reader, clock }));
				const authentication = disposables.use(await createAuthentication({ ...options, objects: reader, writer, clock, metrics }));
				({ serviceAccounts } = authentication);
				const authorization = disposables.use(createAuthorization(reader, options.authorizers ?? DEFAULT_MODES, { clock, log, metrics }));
				const { authorizer, rbac } = authorization;
				const { anonymous, configurations = {} } = options;
				late.followed = followConfigurations(configurations, {
					...{ authentication, authorization, anonymous, metrics, clock, log },
					sealing: deps.store.sealing,
				});
				const { kubeletTls, kubeletAddressTypes, components = () => [] } = options;
				const parts = {
					...{ objects: reader, writer, codec, clock, metrics, authentication, authorization },
					...{ kubeletTls, kubeletAddressTypes, components, admit },
				};
				const subresources = disposables.use(createSubresources(parts));
				const custom = new CustomMetrics(metrics, clock);
				const definitions = new CustomResourceDefinitions({ kinds, reader, writer, caller, clock, log, metrics: custom });
				late.definitions = definitions;
				const { proxyClient = () => ({}) } = options;
				const aggregator = disposables.use(new Aggregator({ reader, writer, proxyClient, clock, log }));
				late.aggregator = aggregator;
				disposables.use(aggregationMetrics(metrics, reader));
				const discovery = new Discovery({
					aggregated: aggregator,
					source: servedKinds(kinds),
					codec,
					serverAddress: hostPort(options.advertiseAddress, options.advertisePort),
					aggregates: discoveryMetrics(metrics),
				});
				const { authenticator } = authentication;
				const { handlers } = subresources;
				const certificate = options.listen?.certificate;
				const checks = {
					...{
						startup,
						store: deps.store,
						clock,
						followsKeys: configurations.encryption?.isFollowed === true,
						isFair: fairness !== undefined,
						storeCheckMs: options.storeCheckMs,
					},
					certificate: certificate === undefined ? undefined : () => certificate().cert,
				};
				const health = new Health(standardChecks(checks), log, slis);
				buildMetrics(metrics, versionInfo(options.build) as Record<string, string>);
				const others = new Map<string, Handler>([
					['/version', versionHandler(options.build)],
					['/metrics', metricsHandler(metrics, startedAt)],
					['/metrics/slis', metricsHandler(slis, startedAt)],
					...(fairness === undefined ? [] : fairnessDumps(fairness, clock)),
					...(options.profiling === false ? [] : [...profilingRoutes(clock), ...flagRoutes(log)]),
					...openApiRoutes({ custom: new CustomDocuments(kinds, readDocumentation), remote: aggregator.openApi }),
					...oidcDiscovery(
						authentication.issuer,
						options.jwksUri ?? `https://${hostPort(options.advertiseAddress, options.advertisePort)}/openid/v1/jwks`,
						authentication.keys,
					),
					...(options.paths ?? []),
				]);
				return {
					authenticator,
					authorizer,
					admission: admissionPlugins({
						objects: reader,
						writer,
						authorizer,
						rbac,
						clock,
						kinds,
						caller,
						choice: options.admissionPlugins,
						settings,
						...webhookCallers(settings, reader, clock, disposables),
						createNamespace: (name, signal) => client.create(NAMESPACES, { metadata: { name } }, { signal }),
						metrics,
					}),
					subresources: handlers,
					paths: nonResourceRoutes({ discovery, health, others, clock, flags: options.flags ?? {} }),
					aggregated: (path) => aggregator.route(path),
					auditor: options.audit === undefined ? undefined : createAuditor(options.audit, { clock, log, metrics }),
				};
			},
		},
	);
	const client = createClient(server.transport(ITSELF)).as('kube-apiserver');
	const serviceCidrs = options.serviceCidr.split(',');
	return {
		...server,
		serviceAccounts: serviceAccounts as ServiceAccountTokens,
		get address() {
			return server.address;
		},
		async run(signal, ready) {
			using _all = disposables;
			const { clientCa, advertiseAddress, advertisePort: port, frontProxy } = options;
			const following = Promise.withResolvers<void>();
			const definitions = late.definitions?.run(signal, following.resolve);
			await following.promise;
			startup.done('wired');
			startup.done('definitions');
			const isShared = deps.store.shared;
			const wanted = {
				now: clock.now(),
				kubernetesIp: new IpRange(serviceCidrs[0] as string).first,
				advertiseAddress,
				port,
				clientCa,
				frontProxy,
				isShared,
			};
			const range = new DefaultServiceCidr({ client, reader: server.reader, clock, log, cidrs: serviceCidrs });
			await range.begin(signal);
			await bootstrap(client, wanted, signal);
			const ranging = range.run(signal);
			startup.done('bootstrapped');
			startup.done('aggregation');
			const aggregating = late.aggregator?.run(client, signal);
			const followed = (late.followed ?? []).map((file) => file.run(signal));
			const identity = new IdentityLease({ client, clock, log, peerAddress: hostPort(advertiseAddress, port) }).run(signal);
			const { fairness } = server;
			const keeping =
				fairness === undefined
					? undefined
					: new FairnessKeeper({ fairness, objects: server.reader, client, clock, log }).run(signal, () => startup.done('fairness'));
			if (fairness === undefined) startup.done('fairness');
			if (isShared) {
				const leases = new MasterLeases({ store: deps.store, client, clock, log, address: advertiseAddress, port });
				await leases.around((stop, served) => server.run(stop, served), signal, ready);
			} else await server.run(signal, ready);
			await Promise.all([definitions, keeping, aggregating, identity, ranging, ...followed]);
		},
	};
}

/** Callers of their own for webhooks that are called as somebody, and for the one that looks at images. */
function webhookCallers(
	{ mutatingUsers, validatingUsers, imagePolicy }: AdmissionSettings,
	objects: ObjectReader,
	clock: Clock,
	owned: DisposableStack,
): Pick<AdmissionDeps, 'mutatingCaller' | 'validatingCaller' | 'images'> {
	const callerAs = (users: WebhookUsers | undefined): WebhookCaller | undefined =>
		users === undefined ? undefined : owned.use(new WebhookCaller({ objects, clock, users }));
	const images = imagePolicy === undefined ? undefined : owned.use(new Remote(imagePolicy.target, clock));
	return { mutatingCaller: callerAs(mutatingUsers), validatingCaller: callerAs(validatingUsers), images };
}
