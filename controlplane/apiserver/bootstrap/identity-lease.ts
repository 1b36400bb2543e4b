/**
 * Who this API server is: a Lease in kube-system under a name made of the host's, renewed while the server runs, as upstream's do. Leases of
 * servers that are long gone are deleted.
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Lease } from '../../../api/gen/types.ts';
import { LEASES } from '../../../api/resources.ts';
import { microTimeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';

interface Deps {
	/** Acts as the server itself. */
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** "192.0.2.1:6443": where other servers reach this one. */
	readonly peerAddress: string;
}

const NAMESPACE = 'kube-system';
const IDENTITY = 'apiserver.kubernetes.io/identity';
const KUBE_APISERVER = 'kube-apiserver';
/** Upstream's IdentityLeaseDurationSeconds, IdentityLeaseRenewIntervalPeriod and IdentityLeaseGCPeriod. */
const DURATION_SECONDS = 3600;
const RENEW_MS = 10_000;
const COLLECT_MS = 3_600_000;

/** "apiserver-" and 26 characters: a hash of the host's name and what runs there. */
export function serverIdentity(host: string = hostname()): string {
	const hash = createHash('sha256');
	for (const part of [host, KUBE_APISERVER]) {
		const bytes = Buffer.from(part);
		const length = Buffer.alloc(2);
		length.writeUInt16BE(bytes.length);
		hash.update(length).update(bytes);
	}
	return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

export class IdentityLease {
	readonly #deps: Deps;
	readonly #holder: string;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#holder = `${serverIdentity()}_${deps.clock.uuid()}`;
	}

	async run(signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#deps;
		let collectAt = clock.monotonic();
		const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
			await work().catch((error: unknown) => {
				if (!signal.aborted) log.warn(what, { why: messageOf(error) });
			});
		};
		while (!signal.aborted) {
			await attempt("cannot renew this server's identity lease", () => this.renew(signal));
			if (clock.monotonic() >= collectAt) {
				collectAt = clock.monotonic() + COLLECT_MS;
				await attempt('cannot delete identity leases of servers that are gone', () => this.collect(signal));
			}
			await clock.sleep(RENEW_MS, signal).catch(() => {});
		}
	}

	async renew(signal: AbortSignal): Promise<void> {
		const { client, clock, peerAddress } = this.#deps;
		const name = serverIdentity();
		const present = await client.get(LEASES, `${NAMESPACE}/${name}`, { signal }).catch(ignore('NotFound'));
		const metadata = {
			...(present?.metadata ?? { name, namespace: NAMESPACE }),
			labels: { ...present?.metadata.labels, [IDENTITY]: KUBE_APISERVER, 'kubernetes.io/hostname': hostname() },
			annotations: { ...present?.metadata.annotations, 'kubernetes.io/peer-advertise-address': peerAddress },
		};
		const spec = { holderIdentity: this.#holder, leaseDurationSeconds: DURATION_SECONDS, renewTime: microTimeOf(clock.now()) };
		if (present === undefined) await client.create(LEASES, { metadata, spec }, { signal });
		else await client.update(LEASES, { ...present, metadata, spec: { ...present.spec, ...spec } }, { signal });
	}

	/** Deletes those that nobody renewed for as long as they last. */
	async collect(signal: AbortSignal): Promise<void> {
		const { client, clock } = this.#deps;
		const { items } = await client.list(LEASES, { namespace: NAMESPACE, labelSelector: `${IDENTITY}=${KUBE_APISERVER}`, signal });
		for (const lease of items.filter((one) => isExpired(one, clock.now()))) {
			const { name = '', uid } = lease.metadata;
			await client.delete(LEASES, `${NAMESPACE}/${name}`, { signal, ...(uid === undefined ? {} : { uid }) }).catch(ignore('NotFound'));
		}
	}
}

function isExpired({ spec }: Lease, now: number): boolean {
	if (spec?.renewTime === undefined || spec.leaseDurationSeconds === undefined) return true;
	return Date.parse(spec.renewTime) + spec.leaseDurationSeconds * 1000 < now;
}

/** RFC 4648, without padding, in lower case. */
function base32(bytes: Uint8Array): string {
	let [out, bits, held] = ['', 0, 0];
	for (const byte of bytes) {
		held = (held << 8) | byte;
		for (bits += 8; bits >= 5; bits -= 5) out += 'abcdefghijklmnopqrstuvwxyz234567'[(held >> (bits - 5)) & 31];
		held &= (1 << bits) - 1;
	}
	return bits === 0 ? out : out + ('abcdefghijklmnopqrstuvwxyz234567'[(held << (5 - bits)) & 31] ?? '');
}
