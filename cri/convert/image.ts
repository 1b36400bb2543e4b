/** Engine images as CRI images. Pure. */
import type { Image } from '../proto.ts';
import type { ImageSummary } from '../engine/types.ts';

/** `user` is the image's own: "uid", "uid:gid", a name, or "name:group". */
export function criImage(image: ImageSummary, user: string, pinned: boolean): Image {
	const name = user.split(':')[0] ?? '';
	const isUid = /^\d+$/.test(name);
	return {
		id: image.Id,
		repoTags: (image.RepoTags ?? []).filter((t) => t !== '<none>:<none>'),
		repoDigests: (image.RepoDigests ?? []).filter((d) => d !== '<none>@<none>'),
		size: BigInt(image.Size),
		uid: isUid ? { value: BigInt(name) } : undefined,
		username: isUid ? '' : name,
		spec: { image: image.Id, annotations: image.Descriptor?.annotations ?? {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' },
		pinned,
	};
}
