/** How long pods take from their creation until a watch sees all of them run. */
import { PODS } from '../../api/resources.ts';
import { NAMESPACE, type NodePlace } from '../crash/agent/node-place.ts';

const BOUND_MS = 600_000;

/** Creates the pods at once; ms. Throws where one fails, where the watch ends before, and after the bound. */
export async function timeToRun(place: NodePlace, names: readonly string[]): Promise<number> {
	const { metadata } = await place.client.list(PODS, { namespace: NAMESPACE, limit: 1 });
	const stop = new AbortController();
	const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(BOUND_MS)]);
	try {
		const from = performance.now();
		await Promise.all([allRun(place, names, metadata.resourceVersion ?? '', signal), ...names.map((name) => place.create(name))]);
		return performance.now() - from;
	} finally {
		stop.abort();
	}
}

async function allRun(place: NodePlace, names: readonly string[], resourceVersion: string, signal: AbortSignal): Promise<void> {
	const missing = new Set(names);
	for await (const { object } of place.client.watch(PODS, { namespace: NAMESPACE, resourceVersion, signal })) {
		const { metadata, status } = object;
		const name = metadata.name ?? '';
		if (!missing.has(name)) continue;
		if (status?.phase === 'Failed') throw new Error(`Pod ${name} failed: ${status.reason ?? ''} ${status.message ?? ''}`);
		if (status?.phase === 'Running') missing.delete(name);
		if (missing.size === 0) return;
	}
	throw new Error(`The watch ended, and ${missing.size} of ${names.length} pods do not run`);
}
