/** The heartbeat: a Lease in kube-node-lease, renewed every ten seconds. */
import type { Lease, Node } from '../../api/gen/types.ts';
import { LEASES } from '../../api/resources.ts';
import { microTimeOf } from '../../api/time.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { isNotFound } from '../volume/objects.ts';

const NAMESPACE = 'kube-node-lease';
const JITTER = 0.04;
const RETRY_MS = 200;
const RETRY_MAX_MS = 7000;

export interface LeaseOptions {
	readonly node: () => Node;
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** nodeLeaseDurationSeconds; renewed after a quarter of it. */
	readonly seconds: number;
}

export async function keepLease({ node, client, clock, log, seconds }: LeaseOptions, signal: AbortSignal): Promise<void> {
	let held: Lease | undefined;
	let failures = 0;
	while (!signal.aborted) {
		let waitMs = seconds * 250 * (1 + JITTER * clock.random());
		try {
			held = await renew(held, node(), seconds, client, clock, signal);
			failures = 0;
		} catch (error) {
			if (signal.aborted) return;
			held = undefined;
			waitMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures++);
			if (failures > 1) log.warn('node lease not renewed', { reason: messageOf(error), retryMs: waitMs });
		}
		await clock.sleep(waitMs, signal).catch(() => {});
	}
}

async function renew(
	held: Lease | undefined,
	node: Node,
	seconds: number,
	client: Client,
	clock: Clock,
	signal: AbortSignal,
): Promise<Lease> {
	const { name = '', uid = '' } = node.metadata;
	const renewTime = microTimeOf(clock.now());
	const had = held ?? (await client.get(LEASES, `${NAMESPACE}/${name}`, { signal }).catch((error: unknown) => missing(error)));
	const owner = { apiVersion: 'v1', kind: 'Node', name, uid };
	if (had === undefined) {
		const spec = { holderIdentity: name, leaseDurationSeconds: seconds, renewTime };
		return client.create(LEASES, { metadata: { name, namespace: NAMESPACE, ownerReferences: [owner] }, spec }, { signal });
	}
	const metadata = { ...had.metadata, ownerReferences: [owner] };
	return client.update(
		LEASES,
		{ ...had, metadata, spec: { ...had.spec, holderIdentity: name, leaseDurationSeconds: seconds, renewTime } },
		{ signal },
	);
}

function missing(error: unknown): undefined {
	if (isNotFound(error)) return undefined;
	throw error;
}
