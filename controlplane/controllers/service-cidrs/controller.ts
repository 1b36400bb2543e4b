/** ServiceCIDRs: ready once seen, and not gone before the last address that only they hold (upstream's pkg/controller/servicecidrs). */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { IPAddress, ServiceCIDR } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { IP_ADDRESSES, SERVICE_CIDRS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { holdsAddress, isAllocated, isFree, overlaps } from './ranges.ts';

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
/** So long until every API server has heard that no address comes from there any more. */
const GRACE_MS = 10_000;
const READY = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
const TERMINATING = {
	status: 'False',
	reason: 'Terminating',
	message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
};

const NOT_READY = 'The ServiceCIDR Status can not be set to Ready=True';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

export function serviceCidrs({ client, informers, clock, recorder }: Deps): Reconciler {
	const cidrs = informers.get(SERVICE_CIDRS);
	const addresses = informers.get(IP_ADDRESSES);
	const overlapping = ({ before, after }: Change<ServiceCIDR>): Iterable<Key> => {
		const states = [before, after].filter((state) => state !== undefined);
		return new Set([...states, ...cidrs.lister.list().filter((other) => states.some((state) => overlaps(state, other)))].map(keyOf));
	};
	/** What is going waits for the last address to go. */
	const holding = ({ before, after }: Change<IPAddress>): readonly Key[] =>
		after !== undefined || before === undefined || !isAllocated(before)
			? []
			: cidrs.lister
					.list()
					.filter((cidr) => holdsAddress(cidr, before.metadata.name ?? ''))
					.map(keyOf);

	async function mark(cidr: ServiceCIDR, condition: typeof READY, signal: AbortSignal): Promise<void> {
		const had = cidr.status?.conditions?.find((c) => c.type === 'Ready');
		if (had?.status === condition.status && had.reason === condition.reason && had.message === condition.message) return;
		const conditions = [{ type: 'Ready', ...condition, lastTransitionTime: timeOf(clock.now()) }];
		const body = {
			apiVersion: 'networking.k8s.io/v1',
			kind: 'ServiceCIDR',
			metadata: { name: cidr.metadata.name },
			status: { conditions },
		};
		const options = { subresource: 'status', fieldManager: 'service-cidr-controller', signal };
		await client.patch(SERVICE_CIDRS, keyOf(cidr), { type: 'apply', body, force: true }, options).catch(ignore('NotFound'));
	}

	async function release(cidr: ServiceCIDR, deletedAt: string, signal: AbortSignal): Promise<Again | void> {
		if (!isFree(cidr, cidrs.lister.list(), addresses.lister.list())) return await mark(cidr, TERMINATING, signal);
		const leftMs = Date.parse(deletedAt) + GRACE_MS - clock.now();
		if (leftMs > 0) return { afterMs: leftMs };
		if (!hasFinalizer(cidr, FINALIZER)) return;
		const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } };
		await client.patch(SERVICE_CIDRS, keyOf(cidr), { type: 'strategic', body }, { signal }).catch(ignore('NotFound'));
	}

	return {
		sources: [keysFrom(cidrs, overlapping), keysFrom(addresses, holding)],
		async reconcile(key, signal) {
			const cidr = cidrs.lister.get(key);
			if (cidr === undefined) return;
			const { deletionTimestamp } = cidr.metadata;
			if (deletionTimestamp !== undefined) return await release(cidr, deletionTimestamp, signal);
			if (!hasFinalizer(cidr, FINALIZER))
				await client
					.patch(SERVICE_CIDRS, key, { type: 'strategic', body: { metadata: { finalizers: [FINALIZER] } } }, { signal })
					.catch(ignore('NotFound'));
			try {
				await mark(cidr, READY, signal);
			} catch (error) {
				if (!signal.aborted) recorder.event(referenceTo(SERVICE_CIDRS, cidr), 'Warning', 'KubernetesServiceCIDRError', NOT_READY);
				throw error;
			}
		},
	};
}
