/**
 * Which API servers there are, where several share a store: each keeps a lease of its address there, as upstream's do (masterleases), and the
 * endpoints of the kubernetes Service are the addresses of all live leases. A server that stops takes its own away; that of one that died ends.
 */
import type { Endpoints, EndpointSlice } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, ENDPOINTS } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { aborted, withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import type { Store } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import { serverIdentity } from './identity-lease.ts';
import { kubernetesEndpoints, kubernetesEndpointSlice } from './system-objects.ts';

interface Deps {
	readonly store: Store;
	/** Acts as the server itself. */
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** Where this server is reached. */
	readonly address: string;
	readonly port: number;
}

export const LEASES_PREFIX = '/core/masterleases/';
/** Where servers of other versions find this one, should they be asked for what only it serves. */
export const PEERS_PREFIX = '/core/peerserverleases/';
/** Upstream's DefaultEndpointReconcilerTTL and DefaultEndpointReconcilerInterval. */
const TTL_MS = 15_000;
const INTERVAL_MS = 10_000;
/** A server that stops does not wait longer than this to say so. */
const LEAVE_MS = 2000;
const KEY = 'default/kubernetes';

type Held = Endpoints & KubeObject;

export class MasterLeases {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Serves with a lease: taken once the server is ready, given back before it stops. */
	async around(serve: (signal: AbortSignal, ready: () => void) => Promise<void>, signal: AbortSignal, ready: () => void): Promise<void> {
		const stop = new AbortController();
		const started = Promise.withResolvers<void>();
		const serving = serve(stop.signal, () => {
			ready();
			started.resolve();
		});
		try {
			await Promise.race([started.promise, serving, aborted(signal)]);
			if (!signal.aborted) await Promise.race([this.run(signal), serving]);
		} finally {
			stop.abort(signal.reason);
		}
		await serving;
	}

	/** Keeps the lease until the signal aborts, then gives it back. */
	async run(signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#deps;
		while (!signal.aborted) {
			try {
				await this.renew(signal);
				await this.#publish(signal);
			} catch (error) {
				if (!signal.aborted) log.warn('cannot keep the lease of this server', { why: messageOf(error) });
			}
			await clock.sleep(INTERVAL_MS, signal).catch(() => {});
		}
		using deadline = withDeadline(clock, LEAVE_MS, 'giving back the lease of this server');
		await this.leave(deadline.signal).catch((error: unknown) =>
			log.warn('cannot give back the lease of this server', { why: messageOf(error) }),
		);
	}

	/** Written, and so alive for TTL_MS. */
	async renew(signal: AbortSignal): Promise<void> {
		const { store, address, port } = this.#deps;
		await store.fresh(undefined, signal);
		const addresses = [{ ip: address }];
		const id = serverIdentity();
		const peer = { labels: { apiserverIdentity: id }, subsets: [{ addresses, ports: [{ name: 'https', port, protocol: 'TCP' }] }] };
		await store.commit([this.#lease(LEASES_PREFIX + address, { subsets: [{ addresses }] }), this.#lease(PEERS_PREFIX + id, peer)], signal);
	}

	/** Its generation grows, so that it is written, whatever else stayed. */
	#lease(key: string, { labels, subsets }: { readonly labels?: Readonly<Record<string, string>>; subsets: Endpoints['subsets'] }) {
		const entry = this.#deps.store.get(key);
		const generation = ((entry === undefined ? undefined : read(entry.value.bytes))?.metadata.generation ?? 0) + 1;
		const metadata = { generation, ...(labels === undefined ? {} : { labels }) };
		const lease: Held = { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets };
		return { key, expect: entry?.revision ?? ('absent' as const), value: encode(lease, { labels: {}, fields: {} }), ttlMs: TTL_MS };
	}

	async leave(signal: AbortSignal): Promise<void> {
		const { store, address } = this.#deps;
		for (const key of [LEASES_PREFIX + address, PEERS_PREFIX + serverIdentity()]) {
			const entry = store.get(key);
			if (entry !== undefined) await store.commit([{ key, expect: entry.revision }], signal).catch(ignore('Aborted'));
		}
		await this.#publish(signal);
	}

	/** The endpoints of the kubernetes Service show the live leases, in order of their addresses. */
	async #publish(signal: AbortSignal): Promise<void> {
		const { store, client } = this.#deps;
		const addresses = store
			.list(LEASES_PREFIX, {})
			.entries.flatMap(({ value }) => read(value.bytes).subsets?.[0]?.addresses?.[0]?.ip ?? [])
			.toSorted();
		const [endpoints, slice] = await Promise.all([
			client.get(ENDPOINTS, KEY, { signal }).catch(ignore('NotFound')),
			client.get(ENDPOINT_SLICES, KEY, { signal }).catch(ignore('NotFound')),
		]);
		const wanted = this.#wanted(addresses, endpoints);
		await Promise.all([
			sameButNulls(wanted.endpoints.subsets ?? [], endpoints?.subsets ?? [])
				? undefined
				: endpoints === undefined
					? client.create(ENDPOINTS, wanted.endpoints, { signal })
					: client.update(ENDPOINTS, { ...endpoints, subsets: wanted.endpoints.subsets }, { signal }),
			slice === undefined
				? client.create(ENDPOINT_SLICES, wanted.slice, { signal })
				: sameButNulls([wanted.slice.endpoints, wanted.slice.ports], [slice.endpoints ?? [], slice.ports])
					? undefined
					: client.update(ENDPOINT_SLICES, { ...slice, endpoints: wanted.slice.endpoints, ports: wanted.slice.ports }, { signal }),
		]).catch((error: unknown) => {
			// Another server wrote the same a moment before.
			if (codeOf(error) !== 'Aborted' && codeOf(error) !== 'AlreadyExists') throw error;
		});
	}

	/** Ports that stand there stay while others are served at them: servers of one address may have several. */
	#wanted(addresses: readonly string[], present: Endpoints | undefined): { endpoints: Endpoints; slice: EndpointSlice } {
		const { address, port } = this.#deps;
		const [made, slice] = [kubernetesEndpoints(address, port), kubernetesEndpointSlice(address, port)];
		if (addresses.length === 0) return { endpoints: { ...made, subsets: [] }, slice: { ...slice, endpoints: [] } };
		const others = addresses.some((one) => one !== address);
		const kept = others ? present?.subsets?.[0]?.ports : undefined;
		const ports = kept ?? made.subsets?.[0]?.ports ?? [];
		return {
			endpoints: { ...made, subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] },
			slice: {
				...slice,
				endpoints: addresses.map((one) => ({ addresses: [one], conditions: { ready: true } })),
				ports: ports.map(({ name = '', port: number, protocol = 'TCP' }) => ({ name, port: number, protocol })),
			},
		};
	}
}

function read(bytes: Uint8Array): Held {
	return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Held;
}
