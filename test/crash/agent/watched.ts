/** What a watch says of pods that nobody touches: they stay ready, with the containers and the addresses that they have. */
import type { Pod } from '../../../api/gen/types.ts';
import { PODS } from '../../../api/resources.ts';
import type { Client } from '../../../client/client.ts';
import { isReady, NAMESPACE } from './node-place.ts';

export class Watched implements AsyncDisposable {
	/** A line for each change that should not be. */
	readonly problems: string[] = [];
	readonly #stop = new AbortController();
	readonly #before: ReadonlyMap<string, string>;
	/** Names of pods to which something was done. */
	readonly #touched = new Set<string>();
	#done: Promise<void> = Promise.resolve();

	private constructor(pods: readonly Pod[]) {
		this.#before = new Map(pods.map((pod) => [pod.metadata.name ?? '', factsOf(pod)]));
	}

	static async begin(client: Client): Promise<Watched> {
		const { items, metadata } = await client.list(PODS, { namespace: NAMESPACE });
		const watched = new Watched(items);
		watched.#done = watched.#follow(client, metadata.resourceVersion ?? '').catch((error: unknown) => {
			if (!watched.#stop.signal.aborted) watched.problems.push(`the watch broke: ${String(error)}`);
		});
		return watched;
	}

	/** From here on this pod may change. */
	touch(name: string): void {
		this.#touched.add(name);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stop.abort();
		await this.#done;
	}

	async #follow(client: Client, resourceVersion: string): Promise<void> {
		const selection = { namespace: NAMESPACE, resourceVersion, signal: this.#stop.signal };
		for await (const { type, object } of client.watch(PODS, selection)) {
			const { name = '' } = object.metadata;
			const before = this.#before.get(name);
			if (before === undefined || this.#touched.has(name)) continue;
			const now = factsOf(object);
			if (type === 'DELETED') this.problems.push(`${name} is gone`);
			else if (!isReady(object)) this.problems.push(`${name} was not ready: ${JSON.stringify(object.status?.conditions)}`);
			else if (now !== before) this.problems.push(`${name} was ${before} and is ${now}`);
		}
	}
}

/** Who it is and what runs of it; since when it is ready. */
function factsOf({ metadata, status }: Pod): string {
	const containers = (status?.containerStatuses ?? []).map((c) => [c.name, c.containerID, c.restartCount, c.state?.running?.startedAt]);
	const ready = status?.conditions?.find((c) => c.type === 'Ready')?.lastTransitionTime;
	return JSON.stringify([metadata.uid, status?.podIP, containers, ready]);
}
