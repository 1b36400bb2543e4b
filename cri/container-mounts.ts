/** A container's mounts, ready for the engine: host paths with their links resolved, images, and the pod's own resolv.conf and hosts. */
import { mkdir, realpath } from 'node:fs/promises';
import type { Context } from './context.ts';
import { bindMount, engineMount, imageMount, type PlacedMount } from './convert/mounts.ts';
import type { EngineMount } from './engine/types.ts';
import { mustInspectImage } from './images/inspect.ts';
import { layerFolders } from './images/layers.ts';
import type { ContainerConfig, Mount } from './proto.ts';
import { sandboxFiles } from './sandbox-files.ts';
import type { SandboxRecord } from './state/records.ts';

/** What is missing on the host is made, a folder, as CRI says. `name` is the container's; its image volumes are released by it. */
export async function containerMounts(
	context: Context,
	sandbox: SandboxRecord,
	config: ContainerConfig,
	name: string,
	signal: AbortSignal,
): Promise<{ readonly mounts: readonly EngineMount[]; readonly binds: readonly string[] }> {
	const settled = await Promise.allSettled(config.mounts.map((mount, index) => placed(context, mount, name, index, signal)));
	const given = settled.map((s) => {
		if (s.status === 'rejected') throw s.reason; // when all are done: none is mounted after its container was given up
		return s.value;
	});
	const taken = new Set(config.mounts.map((m) => m.containerPath));
	const { resolvConf, hosts } = sandboxFiles(context.options.dataDir, sandbox.name);
	const readOnly = config.linux?.securityContext?.readonlyRootfs ?? false;
	const own = (
		[
			[resolvConf, '/etc/resolv.conf'],
			[hosts, '/etc/hosts'],
		] as const
	)
		.filter(([, target]) => !taken.has(target))
		.map(([source, target]) => bindMount(source, target, readOnly));
	return {
		mounts: [...given.flatMap((g) => ('mount' in g ? [g.mount] : [])), ...own],
		binds: given.flatMap((g) => ('bind' in g ? [g.bind] : [])),
	};
}

async function placed(context: Context, mount: Mount, name: string, index: number, signal: AbortSignal): Promise<PlacedMount> {
	if (mount.image === undefined) return engineMount(mount, await hostPath(mount.hostPath), context.host);
	return { mount: await imageVolume(context, mount, mount.image.image, name, index, signal) };
}

async function hostPath(path: string): Promise<string> {
	return realpath(path).catch(async () => {
		await mkdir(path, { recursive: true });
		return realpath(path);
	});
}

async function imageVolume(
	{ engine, host, imageVolumes }: Context,
	mount: Mount,
	reference: string,
	name: string,
	index: number,
	signal: AbortSignal,
): Promise<EngineMount> {
	const image = await mustInspectImage(engine, reference, signal);
	// The engine's own take one image once a container, and let programs of it be run.
	if (layerFolders(image) === undefined && host.imageMounts) return imageMount(image.Id, mount);
	return bindMount(await imageVolumes.add(name, index, image, mount.imageSubPath), mount.containerPath, false);
}
