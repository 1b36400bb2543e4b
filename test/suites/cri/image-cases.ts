/** Images: pulled, looked at, removed; and what statistics tell of containers. */
import { eventually } from '../../tools/eventually.ts';
import { codeOfCall, type CriCase, isRefused, type Scene } from './scene.ts';

const spec = (image: string): NonNullable<Parameters<Scene['images']['imageStatus']>[0]['image']> => ({
	image,
	annotations: {},
	userSpecifiedImage: '',
	runtimeHandler: '',
	imageRef: '',
});

export const IMAGE_CASES: readonly CriCase[] = [
	{
		name: 'an image from nothing to gone',
		answers: async ({ images, other }) => {
			const status = async (image: string): Promise<unknown> => {
				const { image: i } = await images.imageStatus({ image: spec(image), verbose: false });
				if (i === undefined) return 'none';
				const digests = i.repoDigests.map((d) => d.replace(/[0-9a-f]{64}$/, 'HEX'));
				return {
					tags: i.repoTags,
					digests,
					sized: i.size > 0n,
					uid: i.uid?.value,
					username: i.username,
					id: /^sha256:[0-9a-f]{64}$/.test(i.id),
				};
			};
			const before = await status(other);
			const { imageRef } = await images.pullImage({ image: spec(other), auth: undefined, sandboxConfig: undefined });
			const { image } = await images.imageStatus({ image: spec(other), verbose: false });
			const byId = await status(image?.id ?? '');
			const byDigest = await status(image?.repoDigests[0] ?? '');
			const pulled = await status(other);
			// containerd takes no notice of what else the filter says.
			const listed = (await images.listImages({ filter: { image: spec(other) } })).images.filter((i) => i.id === image?.id).length;
			await images.removeImage({ image: spec(other) });
			return {
				before,
				refIsId: imageRef === image?.id,
				pulled,
				byId,
				byDigest,
				listed,
				after: await status(other),
				removedAgain: await codeOfCall(images.removeImage({ image: spec(other) })),
				missing: await isRefused(
					images.pullImage({ image: spec('registry.k8s.io/none/such:1'), auth: undefined, sandboxConfig: undefined }),
				),
				wrongName: await isRefused(images.pullImage({ image: spec('UPPER/::case'), auth: undefined, sandboxConfig: undefined })),
			};
		},
	},
	{
		name: 'the file system of images',
		answers: async ({ images }) => {
			// containerd counts every ten seconds, so that its first answers may be from before the images came
			const imageFilesystems = await eventually('the size of the images', async () => {
				const { imageFilesystems: all } = await images.imageFsInfo({});
				return all.length > 0 && all.every((f) => (f.usedBytes?.value ?? 0n) > 0n) && all;
			});
			return imageFilesystems.map((f) => [f.timestamp > 0n, (f.fsId?.mountpoint ?? '').startsWith('/')]);
		},
	},
	{
		name: 'statistics of containers and pods',
		answers: async (scene) => {
			const { runtime } = scene;
			const pod = await scene.pod({ labels: { set: 'stats' } });
			const id = await scene.start(pod, 'main', ['sh', '-c', 'while :; do :; done'], { labels: { set: 'stats' } });
			const stats = await eventually('figures of its CPU', async () => {
				const { stats: s } = await runtime.containerStats({ containerId: id });
				return (s?.cpu?.usageCoreNanoSeconds?.value ?? 0n) > 0n && (s?.memory?.workingSetBytes?.value ?? 0n) > 0n ? s : undefined;
			});
			const by = async (filter: object): Promise<unknown> =>
				(await runtime.listContainerStats({ filter: { id: '', podSandboxId: '', labelSelector: {}, ...filter } })).stats
					.filter((s) => s.attributes?.labels['set'] === 'stats')
					.map((s) => s.attributes?.metadata?.name)
					.toSorted();
			const { stats: ofPod } = await runtime.podSandboxStats({ podSandboxId: pod.id });
			return {
				attributes: { ...stats.attributes, id: stats.attributes?.id === id },
				byId: await by({ id }),
				byPod: await by({ podSandboxId: pod.id }),
				byOther: await by({ podSandboxId: 'f'.repeat(64) }),
				byLabel: await by({ labelSelector: { set: 'none' } }),
				pod: { ...ofPod?.attributes, id: ofPod?.attributes?.id === pod.id },
				podFigures: [
					(ofPod?.linux?.cpu?.usageCoreNanoSeconds?.value ?? 0n) > 0n,
					(ofPod?.linux?.memory?.workingSetBytes?.value ?? 0n) > 0n,
				],
				podNetwork: ofPod?.linux?.network?.defaultInterface?.name,
			};
		},
	},
];
