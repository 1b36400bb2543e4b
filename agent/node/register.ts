/** Makes the Node object, or brings the labels of the one there up to date; one that it is not to make is waited for. */
import type { Node, Taint } from '../../api/gen/types.ts';
import { NODES } from '../../api/resources.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { isNotFound } from '../volume/objects.ts';
import { nodeStatusOf, type NodeSeen } from './status.ts';

/** Upstream's registration back-off. */
const BACKOFF = { initialMs: 100, maxMs: 7000 };
const CONTROLLER_ATTACHES = 'volumes.kubernetes.io/controller-managed-attach-detach';

export interface NodeMeta {
	readonly labels: Readonly<Record<string, string>>;
	/** Of a new Node only. */
	readonly taints: readonly Taint[];
	readonly providerId: string | undefined;
	/** False: somebody else makes the Node, and says all that is not its status. */
	readonly register: boolean;
}

export async function registerNode(
	name: string,
	meta: NodeMeta,
	seen: NodeSeen,
	client: Client,
	clock: Clock,
	signal: AbortSignal,
): Promise<{ readonly node: Node; readonly isNew: boolean }> {
	return retrying(clock, BACKOFF, signal, async () => {
		const wanted = nodeObject(name, meta, seen);
		try {
			const existing = await client.get(NODES, name, { signal });
			if (!meta.register) return { node: existing, isNew: false };
			const stale = Object.entries(wanted.metadata.labels ?? {}).filter(([key, value]) => existing.metadata.labels?.[key] !== value);
			// Without it no controller attaches volumes here.
			const attaches = existing.metadata.annotations?.[CONTROLLER_ATTACHES] === 'true';
			if (stale.length === 0 && attaches) return { node: existing, isNew: false };
			const metadata = { labels: Object.fromEntries(stale), annotations: { [CONTROLLER_ATTACHES]: 'true' } };
			return { node: await client.patch(NODES, name, { type: 'merge', body: { metadata } }, { signal }), isNew: false };
		} catch (error) {
			if (!isNotFound(error) || !meta.register) throw error;
			return { node: await client.create(NODES, wanted, { signal }), isNew: true };
		}
	});
}

function nodeObject(name: string, { labels, taints, providerId }: NodeMeta, seen: NodeSeen): Node {
	const arch = seen.host.architecture;
	const bare: Node = {
		metadata: {
			name,
			labels: {
				'beta.kubernetes.io/arch': arch,
				'beta.kubernetes.io/os': 'linux',
				'kubernetes.io/arch': arch,
				'kubernetes.io/hostname': name,
				'kubernetes.io/os': 'linux',
				...labels,
			},
			annotations: { [CONTROLLER_ATTACHES]: 'true' },
		},
		spec: { ...(taints.length === 0 ? {} : { taints: [...taints] }), ...(providerId === undefined ? {} : { providerID: providerId }) },
	};
	return { ...bare, status: nodeStatusOf(bare, seen) };
}
