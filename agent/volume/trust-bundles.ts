/** ClusterTrustBundles that projected volumes show: one cache of them, from the first pod on that asks for one, where the API server has the kind. */
import type { ClusterTrustBundleProjection } from '../../api/gen/types.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../api/resource.ts';
import { matchesLabelSelector } from '../../api/selector/label.ts';
import { abortable, withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Lister } from '../../client/cache.ts';
import type { Client } from '../../client/client.ts';
import { createInformer, type Informer } from '../../client/informer.ts';
import { isServed } from '../../client/served.ts';
import { anchorsOf } from './trust-anchors.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
}

interface ClusterTrustBundle extends KubeObject {
	readonly spec?: { readonly signerName?: string; readonly trustBundle?: string };
}

const KIND = {
	group: 'certificates.k8s.io',
	kind: 'ClusterTrustBundle',
	plural: 'clustertrustbundles',
	namespaced: false,
	subresources: [],
};
/** None is on by default; the first that is served is used. */
const VERSIONS = ['v1beta1', 'v1alpha1'];
/** Upstream's wait for the first whole state. */
const SYNC_MS = 10_000;

export class TrustBundles {
	readonly #deps: Deps;
	/** Of this life of the agent, as upstream's. */
	readonly #order: string;
	readonly #users = new Set<string>();
	/** The API server has the kind, and the cache runs. */
	#served = false;
	#informer: Promise<Informer<ClusterTrustBundle> | undefined> | undefined;
	#running: { readonly signal: AbortSignal; readonly changed: (uid: string) => void } | undefined;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#order = deps.clock.uuid();
	}

	/** From now on, and until the signal aborts, `changed` is told the uid of each pod that may have something new to read. */
	begin(signal: AbortSignal, changed: (uid: string) => void): void {
		this.#running = { signal, changed };
		this.#served = false;
		this.#informer = undefined;
	}

	forget(uid: string): void {
		this.#users.delete(uid);
	}

	/**
	 * PEM of what the pod is to trust; empty where there is nothing and nothing is needed. AppError in upstream's words otherwise.
	 * @param uid the pod's: it is told of changes until it is forgotten
	 */
	async read(uid: string, source: ClusterTrustBundleProjection, signal: AbortSignal): Promise<Uint8Array> {
		const { name, signerName, labelSelector, optional = false } = source;
		if (name === undefined && signerName === undefined)
			throw new AppError('InvalidArgument', 'ClusterTrustBundle projection requires either name or signerName to be set');
		this.#users.add(uid);
		const lister = await this.#lister(signal);
		if (name !== undefined) {
			const bundle = lister.get(name);
			if (bundle === undefined && !optional)
				throw new AppError('NotFound', `while getting ClusterTrustBundle: clustertrustbundle.${KIND.group} "${name}" not found`);
			return this.#anchors(bundle === undefined ? [] : [bundle]);
		}
		const bundles = lister
			.list()
			.filter(({ metadata, spec }) => spec?.signerName === signerName && matchesLabelSelector(labelSelector, metadata.labels ?? {}));
		if (bundles.length === 0 && !optional)
			throw new AppError('NotFound', 'combination of signerName and labelSelector matched zero ClusterTrustBundles');
		return this.#anchors(bundles);
	}

	#anchors(bundles: readonly ClusterTrustBundle[]): Uint8Array {
		return anchorsOf(
			bundles.map(({ spec }) => spec?.trustBundle ?? ''),
			this.#order,
		);
	}

	async #lister(signal: AbortSignal): Promise<Lister<ClusterTrustBundle>> {
		// Who asks while another finds out waits for the same answer; where there is none, the next one asks again.
		this.#informer ??= this.#start().finally(() => (this.#served ? undefined : (this.#informer = undefined)));
		const informer = await abortable(this.#informer, signal);
		if (informer === undefined)
			throw new AppError('Unimplemented', 'ClusterTrustBundle projection is not supported in static kubelet mode');
		using deadline = withDeadline(this.#deps.clock, SYNC_MS, 'Reading ClusterTrustBundles', signal);
		await informer.synced(deadline.signal).catch((error: unknown) => {
			if (signal.aborted) throw error;
			throw new AppError('Unavailable', 'ClusterTrustBundle informer has not yet synced', { cause: error });
		});
		return informer.lister;
	}

	/** Undefined where the API server has no such kind. */
	async #start(): Promise<Informer<ClusterTrustBundle> | undefined> {
		if (this.#running === undefined) return undefined;
		const { client, clock, log } = this.#deps;
		const { signal, changed } = this.#running;
		const resource = await servedKind(client, signal);
		if (resource === undefined) return undefined;
		const informer = createInformer({ client, resource, clock, log });
		informer.subscribe(() => {
			for (const uid of this.#users) changed(uid);
		});
		this.#served = true;
		log.info('following ClusterTrustBundles', { apiVersion: apiVersionOf(resource) });
		informer
			.run(signal, () => {})
			.catch((error: unknown) => {
				log.error('cannot follow ClusterTrustBundles', { reason: messageOf(error) });
				this.#served = false;
				this.#informer = undefined;
			});
		return informer;
	}
}

/** A node that may not read the kind finds it all the same (clusterTrustBundlesAvailable): its cache says why it stays empty. */
async function servedKind(client: Client, signal: AbortSignal): Promise<Resource<ClusterTrustBundle> | undefined> {
	for (const version of VERSIONS) {
		const resource: Resource<ClusterTrustBundle> = { ...KIND, version };
		try {
			if (await isServed(client, resource, signal)) return resource;
		} catch (cause) {
			if (signal.aborted) throw cause;
			const message = `failed to ensure informer manager for ClusterTrustBundles: failed to determine which informer manager to choose: ${messageOf(cause)}`;
			throw new AppError('Unavailable', message, { cause });
		}
	}
	return undefined;
}
