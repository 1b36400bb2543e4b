/** Attachments compared with what the driver says is published where: one that is wrong is done again (external-attacher's ReconcileVA). */
import { keyOf, type Key } from '../../../api/resource.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Service } from '../../../base/service.ts';
import { listVolumes } from '../list-volumes.ts';
import { nodeIdOf, type Attaching } from './attach.ts';
import { attachedBy } from './attachment.ts';

export function publishedComparison(attaching: Attaching, everyMs: number, enqueue: (key: Key) => void): Service {
	const { clock, log } = attaching;
	return {
		name: 'csi-attacher-compare',
		after: ['csi-attacher'],
		async run(signal, ready) {
			ready();
			while (!signal.aborted) {
				try {
					await clock.sleep(everyMs, signal);
					if (attaching.attachments.list().some((a) => a.spec.attacher === attaching.driver.name))
						await compare(attaching, enqueue, signal);
				} catch (error) {
					if (!signal.aborted) log.error('attachments are not compared with the driver', { reason: messageOf(error) });
				}
			}
		},
	};
}

async function compare(attaching: Attaching, enqueue: (key: Key) => void, signal: AbortSignal): Promise<void> {
	const { attachments, driver, forced, log, volumes } = attaching;
	const published = await publishedNodes(attaching, signal);
	for (const attachment of attachments.list()) {
		if (attachment.spec.attacher !== driver.name) continue;
		const key = keyOf(attachment);
		try {
			const { csi } = attachedBy(attachment, volumes);
			const found = published.get(csi.volumeHandle)?.includes(nodeIdOf(attaching, attachment, true)) === true;
			const attached = attachment.status?.attached === true;
			if (found === attached) continue;
			log.warn('an attachment is done again: the driver says otherwise', { attachment: key, attached, found });
			forced.add(key);
			enqueue(key);
		} catch (error) {
			log.info('an attachment cannot be compared', { attachment: key, reason: messageOf(error) });
		}
	}
}

async function publishedNodes({ driver }: Attaching, signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
	const published = new Map<string, readonly string[]>();
	for await (const { volume, status } of listVolumes(driver, signal)) published.set(volume?.volumeId ?? '', status?.publishedNodeIds ?? []);
	return published;
}
