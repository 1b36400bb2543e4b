/** What volumes of running pods show: ConfigMaps and Secrets, each followed by a watch of its own while a pod uses it, and ClusterTrustBundles. */
import type { ConfigMap, Pod, Secret } from '../../api/gen/types.ts';
import { CONFIG_MAPS, SECRETS } from '../../api/resources.ts';
import type { Resource } from '../../api/resource.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { createInformer } from '../../client/informer.ts';
import { Objects, type ObjectReader } from './objects.ts';
import { TrustBundles } from './trust-bundles.ts';
import { volumeReferences, type VolumeReference } from './references.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
}

interface Followed {
	readonly users: Set<string>;
	readonly stop: AbortController;
	/** Undefined until the watch has seen the whole; then the object, or that there is none. */
	seen: { readonly object: ConfigMap | Secret | undefined } | undefined;
	/** Ends the watch some time after its last user. */
	idle: Disposable | undefined;
}

/** Not on the way of a pod that starts. */
const BEGIN_MS = 500;
/** Upstream ends a watch a minute after its last use. */
const IDLE_MS = 60_000;

export class FollowedObjects implements ObjectReader {
	readonly bundles: TrustBundles;
	readonly #deps: Deps;
	readonly #direct: Objects;
	readonly #followed = new Map<string, Followed>();
	#running: { readonly signal: AbortSignal; readonly changed: (uid: string) => void } | undefined;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#direct = new Objects(deps.client);
		this.bundles = new TrustBundles(deps);
	}

	/** From now on, and until the signal aborts, `changed` is told the uid of each pod that has something new to read. */
	begin(signal: AbortSignal, changed: (uid: string) => void): void {
		this.#running = { signal, changed };
		this.bundles.begin(signal, changed);
		signal.addEventListener('abort', () => this.#followed.clear(), { once: true });
	}

	/** Idempotent. */
	follow(pod: Pod): void {
		const running = this.#running;
		const { uid = '', namespace = '' } = pod.metadata;
		if (running === undefined || running.signal.aborted) return;
		for (const reference of volumeReferences(pod)) {
			const key = keyOf(reference, namespace);
			const known = this.#followed.get(key);
			known?.users.add(uid);
			known?.idle?.[Symbol.dispose]();
			if (known === undefined) this.#begin(key, reference, namespace, uid, running.signal, running.changed);
		}
	}

	forget(uid: string): void {
		this.bundles.forget(uid);
		for (const [key, followed] of this.#followed) {
			if (!followed.users.delete(uid) || followed.users.size > 0) continue;
			followed.idle = this.#deps.clock.after(IDLE_MS, () => {
				this.#followed.delete(key);
				followed.stop.abort();
			});
		}
	}

	async configMap(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap | undefined> {
		const seen = this.#followed.get(keyOf({ kind: 'configMap', name }, namespace))?.seen;
		return seen === undefined ? this.#direct.configMap(namespace, name, signal) : (seen.object as ConfigMap | undefined);
	}

	async secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined> {
		const seen = this.#followed.get(keyOf({ kind: 'secret', name }, namespace))?.seen;
		return seen === undefined ? this.#direct.secret(namespace, name, signal) : (seen.object as Secret | undefined);
	}

	#begin(
		key: string,
		{ kind, name }: VolumeReference,
		namespace: string,
		uid: string,
		signal: AbortSignal,
		changed: (uid: string) => void,
	): void {
		const followed: Followed = { users: new Set([uid]), stop: new AbortController(), seen: undefined, idle: undefined };
		this.#followed.set(key, followed);
		const { client, clock, log } = this.#deps;
		const stop = AbortSignal.any([signal, followed.stop.signal]);
		const resource: Resource<ConfigMap | Secret> = kind === 'secret' ? SECRETS : CONFIG_MAPS;
		const informer = createInformer({ client, resource, clock, log, namespace, fieldSelector: `metadata.name=${name}` });
		informer.subscribe(({ after }) => {
			followed.seen = { object: after };
			for (const user of followed.users) changed(user);
			// What cannot change needs no watch.
			if (after?.immutable === true) followed.stop.abort();
		});
		const run = async (): Promise<void> => {
			await clock.sleep(BEGIN_MS, stop);
			const running = informer.run(stop, () => {});
			await informer.synced(stop);
			followed.seen ??= { object: undefined };
			await running;
		};
		run().catch((error: unknown) => {
			if (!stop.aborted) log.warn('cannot follow what a volume shows', { [kind]: `${namespace}/${name}`, reason: messageOf(error) });
		});
	}
}

function keyOf({ kind, name }: VolumeReference, namespace: string): string {
	return `${kind} ${namespace}/${name}`;
}
