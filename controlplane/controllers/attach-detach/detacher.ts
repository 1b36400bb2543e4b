/** Takes volumes from nodes: first the node is told, then it must not use them, then the attachment is deleted; and tells nodes what they have. */
import type { Node, PersistentVolume } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { NODES, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { uniqueVolumeName } from '../../../api/storage/attachment.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Assumed } from '../../../client/assumed.ts';
import type { Client } from '../../../client/client.ts';
import type { Attachment, Attachments } from './attachments.ts';
import { volumeOf } from './plan.ts';
import { reportedVolumes } from './reported.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly attachments: Attachments;
	readonly nodes: Assumed<Node & KubeObject>;
	volume(name: string): PersistentVolume | undefined;
}

export class Detacher {
	readonly #deps: Deps;
	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** False where the node turns out to use it still: it stays attached. */
	async detach(attachment: Attachment, isForced: boolean, signal: AbortSignal): Promise<boolean> {
		const { client, clock, attachments, volume } = this.#deps;
		const { name = '', uid = '' } = attachment.metadata;
		attachments.going(attachment, timeOf(clock.now()));
		try {
			const told = await this.report(attachment.spec.nodeName, signal);
			const csi = volume(volumeOf(attachment))?.spec?.csi;
			const live = told ?? (await client.get(NODES, attachment.spec.nodeName, { signal }).catch(ignore('NotFound')));
			if (!isForced && csi !== undefined && live?.status?.volumesInUse?.includes(uniqueVolumeName(csi)) === true) {
				attachments.staying(attachment);
				return false;
			}
			await client.delete(VOLUME_ATTACHMENTS, name, { uid, signal }).catch(ignore('NotFound', 'Aborted'));
			return true;
		} catch (error) {
			attachments.staying(attachment);
			throw error;
		}
	}

	/** Brings the node's status to what is attached; the node as it is then, where that was a change. */
	async report(name: string, signal: AbortSignal): Promise<Node | undefined> {
		const { client, attachments, nodes, volume } = this.#deps;
		const present = nodes.get(name);
		if (present === undefined) return undefined;
		const volumesAttached = reportedVolumes(attachments.of('node', name), volume);
		if (sameButNulls(volumesAttached, present.status?.volumesAttached ?? [])) return undefined;
		const body = { status: { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached } };
		const patch = { type: 'strategic', body } as const;
		const told = await client.patch(NODES, name, patch, { subresource: 'status', signal }).catch(ignore('NotFound'));
		if (told !== undefined) nodes.assume(told);
		return told;
	}
}
