/** When a cluster may be called usable: the default ServiceAccount is there and the node is ready. */
import { isNodeReady } from '../api/pod/node-ready.ts';
import type { KubeObject, Resource } from '../api/resource.ts';
import { NODES, SERVICE_ACCOUNTS } from '../api/resources.ts';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import type { Client } from '../client/client.ts';

/** Resolves once the cluster is usable and those who wait at its start were told; rejects with the signal's reason. */
export type WhenUsable = (signal: AbortSignal) => Promise<void>;

export async function usable(client: Client, nodeName: string, signal: AbortSignal, clock: Clock): Promise<void> {
	await Promise.all([
		seen(client, SERVICE_ACCOUNTS, 'default', 'default', () => true, signal, clock),
		seen(client, NODES, undefined, nodeName, isNodeReady, signal, clock),
	]);
}

/** For a part that is a process of its own: it looks itself. */
export function whenNodeUsable(client: Client, nodeName: string, clock: Clock): WhenUsable {
	return async (signal) => {
		await usable(client, nodeName, signal, clock);
		signal.throwIfAborted();
	};
}

const RETRY_MS = 50;

/** Watches until the object is there and fits, or the signal aborts. */
export async function seen<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	namespace: string | undefined,
	name: string,
	fits: (object: T) => boolean,
	signal: AbortSignal,
	clock: Clock,
): Promise<void> {
	const found = new AbortController();
	const where = namespace === undefined ? {} : { namespace };
	const stop = AbortSignal.any([signal, found.signal]);
	while (!signal.aborted)
		try {
			for await (const event of client.watch(resource, { ...where, fieldSelector: `metadata.name=${name}`, signal: stop })) {
				if (event.type === 'BOOKMARK' || event.type === 'DELETED' || !fits(event.object)) continue;
				found.abort();
				return;
			}
			await clock.sleep(RETRY_MS, signal).catch(() => {});
		} catch (error) {
			if (signal.aborted || found.signal.aborted) return;
			// A server that is (again) on its way, or one whose cache is (upstream's "Too large resource version").
			if (codeOf(error) !== 'Unavailable' && codeOf(error) !== 'DeadlineExceeded') throw error;
			await clock.sleep(RETRY_MS, signal).catch(() => {});
		}
}
