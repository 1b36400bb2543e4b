/**
 * Which API servers there are, where several share a store: each keeps a lease of its address there, as upstream's do (masterleases). A server
 * that stops takes its own away; that of one that died ends.
 */
import type { Endpoints } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { ignore } from '../../../base/errors.ts';
import type { Store } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import { serverIdentity } from './identity-lease.ts';

interface Deps {
	readonly store: Store;
	/** Where this server is reached. */
	readonly address: string;
	readonly port: number;
}

export const LEASES_PREFIX = '/core/masterleases/';
/** Where servers of other versions find this one, should they be asked for what only it serves. */
export const PEERS_PREFIX = '/core/peerserverleases/';
/** Upstream's DefaultEndpointReconcilerTTL and DefaultEndpointReconcilerInterval. */
const TTL_MS = 15_000;
export const RENEW_MS = 10_000;

type Held = Endpoints & KubeObject;

export class MasterLeases {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
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

	/** Gives this server's own back. */
	async leave(signal: AbortSignal): Promise<void> {
		const { store, address } = this.#deps;
		for (const key of [LEASES_PREFIX + address, PEERS_PREFIX + serverIdentity()]) {
			const entry = store.get(key);
			if (entry !== undefined) await store.commit([{ key, expect: entry.revision }], signal).catch(ignore('Aborted'));
		}
	}

	/** Of all servers whose leases live, in order. */
	addresses(): readonly string[] {
		return this.#deps.store
			.list(LEASES_PREFIX, {})
			.entries.flatMap(({ value }) => read(value.bytes).subsets?.[0]?.addresses?.[0]?.ip ?? [])
			.toSorted();
	}
}

function read(bytes: Uint8Array): Held {
	return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Held;
}
