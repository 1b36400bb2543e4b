/** The API server with everything it has by default: authentication, authorization, admission, subresources, discovery, bootstrap objects. */
import { hostPort } from '../../base/host-port.ts';
import { IpRange } from './allocation/ip-range.ts';
import { createApiServer, type ApiServer } from './apiserver.ts';
import type { ServiceAccountTokens } from './authn/service-account-tokens.ts';
import { bootstrap } from './bootstrap/bootstrap.ts';
import { DefaultServiceCidr } from './bootstrap/default-service-cidr.ts';
import { IdentityLease } from './bootstrap/identity-lease.ts';
import { MasterLeases } from './bootstrap/master-leases.ts';
import { moveCustomResources } from './custom/moved.ts';
import { FairnessKeeper } from './fairness/keeper.ts';
import { ownClient } from './own-client.ts';
import { Startup } from './discovery/standard-checks.ts';
import { Presence } from './upkeep/presence.ts';
import { systemNamespaces, systemObjects } from './upkeep/kept-objects.ts';
import { Upkeep } from './upkeep/upkeep.ts';
import type { StandardDeps, StandardOptions } from './standard-options.ts';
import { standardParts, type StandardParts } from './standard-parts.ts';

export interface StandardApiServer extends ApiServer {
	readonly serviceAccounts: ServiceAccountTokens;
}

/** Upstream's --max-requests-inflight and --max-mutating-requests-inflight. */
const DEFAULT_FAIRNESS = { maxRequests: 400, maxMutatingRequests: 200 };

export async function createStandardApiServer(options: StandardOptions, deps: StandardDeps): Promise<StandardApiServer> {
	const { clock, log } = deps;
	// With others on the same etcd there is nothing to move: it always had them apart.
	if (!deps.store.shared) await moveCustomResources(deps.store, log);
	const owned = new DisposableStack();
	const startup = new Startup();
	const wired = Promise.withResolvers<StandardParts>();
	const server = await createApiServer(
		{ fairness: DEFAULT_FAIRNESS, ...options, startup },
		{
			...deps,
			async extensions(parts) {
				const standard = await standardParts(options, { ...deps, startup, owned }, parts);
				wired.resolve(standard);
				return standard.extensions;
			},
		},
	);
	const { serviceAccounts, definitions, aggregator, followed } = await wired.promise;
	const client = ownClient(server);
	const serviceCidrs = options.serviceCidr.split(',');
	return {
		...server,
		serviceAccounts,
		get address() {
			return server.address;
		},
		async run(signal, ready) {
			using _all = owned;
			const { clientCa, advertiseAddress, advertisePort: port, frontProxy } = options;
			const following = Promise.withResolvers<void>();
			const defining = definitions.run(signal, following.resolve);
			await following.promise;
			startup.done('wired');
			startup.done('definitions');
			const { reader } = server;
			const keeps = { reader, client, clock, log };
			const kubernetesIp = new IpRange(serviceCidrs[0] as string).first;
			const namespaces = new Upkeep(systemNamespaces(keeps), keeps);
			const objects = new Upkeep(systemObjects({ kubernetesIp, port, clientCa, frontProxy }, keeps), keeps);
			const range = new DefaultServiceCidr({ client, reader, clock, log, cidrs: serviceCidrs });
			await Promise.all([range.begin(signal), namespaces.begin(signal)]);
			await Promise.all([objects.begin(signal), bootstrap(client, signal)]);
			const upkeep = [range, namespaces, objects].map((one) => one.run(signal));
			startup.done('bootstrapped');
			const aggregating = aggregator.run(client, signal, () => startup.done('aggregation'));
			const reloading = followed.map((file) => file.run(signal));
			const identity = new IdentityLease({ client, clock, log, peerAddress: hostPort(advertiseAddress, port) }).run(signal);
			const { fairness } = server;
			const keeping =
				fairness === undefined
					? undefined
					: new FairnessKeeper({ fairness, objects: reader, client, clock, log }).run(signal, () => startup.done('fairness'));
			if (fairness === undefined) startup.done('fairness');
			// While it takes itself away from the endpoints, it still serves.
			signal.addEventListener('abort', () => startup.stopping(), { once: true });
			const own = { address: advertiseAddress, port };
			const leases = deps.store.shared ? new MasterLeases({ store: deps.store, ...own }) : undefined;
			await new Presence({ ...keeps, own, leases }).around((stop, served) => server.run(stop, served), signal, ready);
			await Promise.all([defining, keeping, aggregating, identity, ...upkeep, ...reloading]);
		},
	};
}
