/** What takes part in every request of the standard API server, and what of it runs beside: wired by hand. */
import type { Clock } from '../../base/clock.ts';
import { createMetrics } from '../../base/metrics.ts';
import { hostPort } from '../../base/host-port.ts';
import { buildMetrics, processStart, startMetrics } from '../../base/process-metrics.ts';
import { NAMESPACES } from '../../api/resources.ts';
import { admissionPlugins, type AdmissionDeps } from './admission/plugins.ts';
import type { AdmissionSettings } from './admission/configuration/settings.ts';
import { createAuditor } from './audit/create-auditor.ts';
import { Aggregator } from './aggregation/aggregator.ts';
import type { ApiServerExtensions, ApiServerParts } from './apiserver.ts';
import { createAuthentication, type Authentication } from './authn/authentication.ts';
import type { ServiceAccountTokens } from './authn/service-account-tokens.ts';
import { createAuthorization, DEFAULT_MODES, type Authorization } from './authz/authorizer.ts';
import type { AdmissionPlugin, Handler, ObjectReader } from './contracts.ts';
import { CustomResourceDefinitions } from './custom/definitions.ts';
import { servedKinds } from './discovery/served-kinds.ts';
import { Discovery } from './discovery/discovery.ts';
import { resourceOfKind } from './discovery/resource-of-kind.ts';
import { Health } from './discovery/health.ts';
import { standardChecks, type Startup } from './discovery/standard-checks.ts';
import { flagRoutes } from './discovery/flags.ts';
import { profilingRoutes } from './discovery/profiling.ts';
import { oidcDiscovery } from './authn/oidc-discovery.ts';
import { standardGuards } from './guards/guards.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { fairnessDumps } from './fairness/dumps.ts';
import { metricsHandler } from './discovery/metrics.ts';
import { nonResourceRoutes } from './discovery/routes.ts';
import { CustomMetrics } from './metrics/custom-metrics.ts';
import { aggregationMetrics, discoveryMetrics } from './metrics/cluster-metrics.ts';
import { versionHandler, versionInfo } from './discovery/version.ts';
import { CustomDocuments } from './openapi/additions.ts';
import { readDocumentation } from './openapi/documentation.ts';
import { followConfigurations } from './reload/configuration-files.ts';
import type { FollowedFile } from './reload/followed-file.ts';
import { ownClient } from './own-client.ts';
import { createSubresources } from './subresources/subresources.ts';
import { WebhookCaller } from './webhook/caller.ts';
import { Remote } from './webhook/remote.ts';
import type { WebhookUsers } from './webhook/users.ts';
import type { StandardDeps, StandardOptions } from './standard-options.ts';

export interface StandardParts {
	readonly extensions: ApiServerExtensions;
	readonly serviceAccounts: ServiceAccountTokens;
	readonly definitions: CustomResourceDefinitions;
	readonly aggregator: Aggregator;
	/** Configuration files that are read again when they change. */
	readonly followed: readonly FollowedFile[];
}

interface Deps extends StandardDeps {
	readonly startup: Startup;
	/** Is given what has to be disposed of. */
	readonly owned: DisposableStack;
}

export async function standardParts(options: StandardOptions, deps: Deps, parts: ApiServerParts): Promise<StandardParts> {
	const { store, clock, log, metrics, owned } = deps;
	const { reader, writer, codec, kinds, admit } = parts;
	const caller = owned.use(new WebhookCaller({ objects: reader, clock }));
	const authentication = owned.use(await createAuthentication({ ...options, objects: reader, writer, clock, metrics }));
	const authorization = owned.use(createAuthorization(reader, options.authorizers ?? DEFAULT_MODES, { clock, log, metrics }));
	const { anonymous, configurations = {} } = options;
	const followed = followConfigurations(configurations, {
		...{ authentication, authorization, anonymous, metrics, clock, log },
		sealing: store.sealing,
	});
	const { kubeletTls, kubeletAddressTypes, components = () => [], proxyClient = () => ({}) } = options;
	const subresources = owned.use(
		createSubresources({
			...{ objects: reader, writer, codec, clock, metrics, authentication, authorization },
			...{ kubeletTls, kubeletAddressTypes, components, admit },
		}),
	);
	const definitions = new CustomResourceDefinitions({
		kinds,
		reader,
		writer,
		caller,
		clock,
		log,
		metrics: new CustomMetrics(metrics, clock),
	});
	const aggregator = owned.use(new Aggregator({ reader, writer, proxyClient, clock, log }));
	owned.use(aggregationMetrics(metrics, reader));
	const { authorizer, rbac } = authorization;
	const paths = standardPaths(options, deps, parts, authentication, aggregator);
	const extensions: ApiServerExtensions = {
		authenticator: authentication.authenticator,
		authorizer,
		admission: standardAdmission(options, deps, parts, authorization, caller),
		guards: standardGuards({ objects: reader, authorizer, rbac, resourceOf: resourceOfKind(servedKinds(kinds), aggregator) }),
		subresources: subresources.handlers,
		paths,
		aggregated: (path) => aggregator.route(path),
		auditor: options.audit === undefined ? undefined : createAuditor(options.audit, { clock, log, metrics }),
	};
	return { extensions, serviceAccounts: authentication.serviceAccounts, definitions, aggregator, followed };
}

function standardAdmission(
	{ admissionPlugins: choice, admissionSettings: settings = {} }: StandardOptions,
	{ clock, metrics, owned }: Deps,
	parts: ApiServerParts,
	{ authorizer }: Authorization,
	caller: WebhookCaller,
): readonly AdmissionPlugin[] {
	const { reader, writer, kinds } = parts;
	return admissionPlugins({
		...{ objects: reader, writer, authorizer, clock, kinds, caller, choice, settings, metrics },
		...webhookCallers(settings, reader, clock, owned),
		createNamespace: (name, signal) => ownClient(parts).create(NAMESPACES, { metadata: { name } }, { signal }),
	});
}

/** Discovery, health, metrics, documents: what is no resource. */
function standardPaths(
	options: StandardOptions,
	{ store, clock, log, metrics, startup }: Deps,
	{ codec, kinds, fairness }: ApiServerParts,
	{ issuer, keys }: Authentication,
	aggregator: Aggregator,
): ApiServerExtensions['paths'] {
	const { listen, configurations = {}, storeCheckMs } = options;
	const serverAddress = hostPort(options.advertiseAddress, options.advertisePort);
	const discovery = new Discovery({
		...{ aggregated: aggregator, source: servedKinds(kinds), codec, serverAddress },
		aggregates: discoveryMetrics(metrics),
	});
	const slis = createMetrics();
	const startedAt = processStart(clock);
	startMetrics(slis, clock);
	const checks = standardChecks({
		...{ startup, store, clock, storeCheckMs },
		followsKeys: configurations.encryption?.isFollowed === true,
		isFair: fairness !== undefined,
		unregistered: () => aggregator.unregistered(),
		certificate: listen === undefined ? undefined : () => listen.certificate().cert,
	});
	buildMetrics(metrics, versionInfo(options.build) as Record<string, string>);
	const others = new Map<string, Handler>([
		['/version', versionHandler(options.build)],
		['/metrics', metricsHandler(metrics, startedAt)],
		['/metrics/slis', metricsHandler(slis, startedAt)],
		...(fairness === undefined ? [] : fairnessDumps(fairness, clock)),
		...(options.profiling === false ? [] : [...profilingRoutes(clock), ...flagRoutes(log)]),
		...openApiRoutes({ custom: new CustomDocuments(kinds, readDocumentation), remote: aggregator.openApi }),
		...oidcDiscovery(issuer, options.jwksUri ?? `https://${serverAddress}/openid/v1/jwks`, keys),
		...(options.paths ?? []),
	]);
	return nonResourceRoutes({ discovery, health: new Health(checks, log, slis), others, clock, flags: options.flags ?? {} });
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
