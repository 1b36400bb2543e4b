/** The VolumeAttachments of this controller: those the informer shows, those just made and those just deleted. */
import type { VolumeAttachment } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Informer } from '../../../client/informer.ts';

export type Attachment = VolumeAttachment & KubeObject;

/** Names that this controller gives; others are not its business. */
const OURS = /^csi-[0-9a-f]{64}$/;

export class Attachments {
	readonly #lister: Lister<Attachment>;
	readonly #made = new Map<Key, Attachment>();
	readonly #going = new Map<Key, Attachment>();

	constructor(informer: Informer<Attachment>) {
		informer.addIndex('node', ({ metadata, spec }) => (OURS.test(metadata.name ?? '') ? [spec.nodeName] : []));
		informer.addIndex('volume', ({ spec }) => [spec.source.persistentVolumeName ?? '']);
		this.#lister = informer.lister;
		informer.subscribe(({ before, after }) => {
			const object = after ?? before;
			if (object === undefined) return;
			const key = keyOf(object);
			this.#made.delete(key);
			if (after === undefined || after.metadata.uid !== this.#going.get(key)?.metadata.uid) this.#going.delete(key);
		});
	}

	get(name: string): Attachment | undefined {
		return this.#made.get(name) ?? this.#lister.get(name);
	}

	of(index: 'node' | 'volume', value: string): readonly Attachment[] {
		const made = [...this.#made.values()].filter(
			({ spec }) => (index === 'node' ? spec.nodeName : spec.source.persistentVolumeName) === value,
		);
		return [...this.#lister.byIndex(index, value), ...made].map((one) => this.#going.get(keyOf(one)) ?? one);
	}

	all(): readonly Attachment[] {
		return [...this.#lister.list(), ...this.#made.values()];
	}

	/** Counts from now on. */
	made(attachment: Attachment): void {
		if (this.#lister.get(keyOf(attachment)) === undefined) this.#made.set(keyOf(attachment), attachment);
	}

	/** Counts as being deleted from now on. */
	going(attachment: Attachment, deletionTimestamp: string): void {
		this.#going.set(keyOf(attachment), { ...attachment, metadata: { ...attachment.metadata, deletionTimestamp } });
	}

	/** It was not deleted after all. */
	staying(attachment: Attachment): void {
		this.#going.delete(keyOf(attachment));
	}
}
