/** The API server with everything it has by default: authentication, authorization, admission, subresources, discovery, bootstrap objects. */
import { hostPort } from '../../base/host-port.ts';
import { IpRange } from './allocation/ip-range.ts';
import { createApiServer, type ApiServer } from './apiserver.ts';
import type { ServiceAccountTokens } from './authn/service-account-tokens.ts';
import { bootstrap, ensureKubernetesService } from './bootstrap/bootstrap.ts';
import { DefaultServiceCidr } from './bootstrap/default-service-cidr.ts';
import { IdentityLease } from './bootstrap/identity-lease.ts';
import { KubernetesService } from './bootstrap/kubernetes-service.ts';
import { MasterLeases } from './bootstrap/master-leases.ts';
import { moveCustomResources } from './custom/moved.ts';
import { FairnessKeeper } from './fairness/keeper.ts';
import { ownClient } from './own-client.ts';
import { Startup } from './discovery/standard-checks.ts';
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
			const { reader } = server;
			const range = new DefaultServiceCidr({ client, reader, clock, log, cidrs: serviceCidrs });
			await range.begin(signal);
			await bootstrap(client, wanted, signal);
			const own = new KubernetesService({ ensure: (stop) => ensureKubernetesService(client, wanted, stop), reader, clock, log });
			await own.begin(signal);
			const ranging = Promise.all([range.run(signal), own.run(signal)]);
			startup.done('bootstrapped');
			startup.done('aggregation');
			const aggregating = aggregator.run(client, signal);
			const reloading = followed.map((file) => file.run(signal));
			const identity = new IdentityLease({ client, clock, log, peerAddress: hostPort(advertiseAddress, port) }).run(signal);
			const { fairness } = server;
			const keeping =
				fairness === undefined
					? undefined
					: new FairnessKeeper({ fairness, objects: reader, client, clock, log }).run(signal, () => startup.done('fairness'));
			if (fairness === undefined) startup.done('fairness');
			if (isShared) {
				const leases = new MasterLeases({ store: deps.store, client, clock, log, address: advertiseAddress, port });
				await leases.around((stop, served) => server.run(stop, served), signal, ready);
			} else await server.run(signal, ready);
			await Promise.all([defining, keeping, aggregating, identity, ranging, ...reloading]);
		},
	};
}
