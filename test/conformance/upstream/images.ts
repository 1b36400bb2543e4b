/**
 * The images that upstream's suite names, under its names and tags, made in the machine's Docker Engine from Debian's programs and upstream's own, built from its Go modules: no registry
 * is asked. `node test/conformance/upstream/images.ts` makes those that are missing or were made otherwise, and prints their names.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must, run } from '../../tools/command.ts';
import { LAYERS, marker } from '../critest/rootfs.ts';
import { UPSTREAM_LAYERS } from './rootfs.ts';

export interface UpstreamImage {
	readonly name: string;
	/** Another of these, listed before, whose files and settings it begins with. */
	readonly from?: string;
	/** Lowest first: of the layers below, or any other name, which becomes a file that sets this image apart. */
	readonly layers: readonly string[];
	/** Lines of a Dockerfile. */
	readonly settings?: readonly string[];
}

const E2E = 'registry.k8s.io/e2e-test-images';
const AGNHOST = `${E2E}/agnhost:2.63.0`;
const BUSYBOX = `${E2E}/busybox:1.37.0-1`;
const NGINX = ['EXPOSE 80', 'STOPSIGNAL SIGQUIT', 'CMD ["nginx"]'];

/** Names and tags are those of the suite's own list (test/utils/image/manifest.go). */
export const UPSTREAM_IMAGES: readonly UpstreamImage[] = [
	{
		name: BUSYBOX,
		layers: ['busybox', 'shell'],
		settings: ['ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'CMD ["sh"]'],
	},
	{
		name: AGNHOST,
		from: BUSYBOX,
		layers: ['network-programs', 'agnhost'],
		settings: ['EXPOSE 80 8080 8081 9376 5000', 'ENTRYPOINT ["/agnhost"]', 'CMD ["pause"]'],
	},
	{ name: `${E2E}/agnhost:2.55`, from: AGNHOST, layers: ['agnhost-2.55'] },
	{ name: `${E2E}/kitten:1.8`, from: AGNHOST, layers: ['kitten'], settings: ['CMD ["test-webserver"]'] },
	{ name: `${E2E}/nautilus:1.8`, from: AGNHOST, layers: ['nautilus'], settings: ['CMD ["test-webserver"]'] },
	{ name: `${E2E}/nginx:1.15-4`, from: BUSYBOX, layers: ['nginx', 'nginx-1.15-4'], settings: NGINX },
	{ name: `${E2E}/nginx:1.27-0`, from: BUSYBOX, layers: ['nginx', 'nginx-1.27-0'], settings: NGINX },
	{ name: `${E2E}/nonewprivs:1.4`, from: BUSYBOX, layers: ['nnp'], settings: ['CMD ["nnp"]'] },
	{ name: `${E2E}/nonroot:1.5`, from: BUSYBOX, layers: ['nonroot'], settings: ['USER 1234'] },
	{ name: `${E2E}/ipc-utils:1.4`, from: BUSYBOX, layers: ['ipc-utils'] },
	{ name: `${E2E}/glibc-dns-testing:2.0.0`, from: BUSYBOX, layers: ['network-programs', 'glibc-dns-testing'] },
	{ name: `${E2E}/regression-issue-74839:1.4`, layers: ['regression-issue-74839'], settings: ['ENTRYPOINT ["/regression-issue-74839"]'] },
	{ name: `${E2E}/sample-apiserver:1.29.2`, from: BUSYBOX, layers: ['sample-apiserver'], settings: ['ENTRYPOINT ["/sample-apiserver"]'] },
	{ name: 'registry.k8s.io/etcd:3.6.8-0', from: BUSYBOX, layers: ['etcd'], settings: ['CMD ["etcd"]'] },
	{ name: 'registry.k8s.io/pause:3.10.2', layers: ['pause'], settings: ['USER 65535:65535', 'ENTRYPOINT ["/pause"]'] },
];

const FILLS: Readonly<Record<string, (dir: string) => Promise<void>>> = { ...LAYERS, ...UPSTREAM_LAYERS };
/** Tells what an image was made of. */
const LABEL = 'dev.kubeling.made-of';

/** Makes what is missing; resolves with all names. */
export async function upstreamImages(): Promise<readonly string[]> {
	const sources = ['images.ts', 'rootfs.ts', 'tools.ts', '../critest/rootfs.ts', '../critest/tools.ts'];
	const hash = createHash('sha256');
	for (const file of sources) hash.update(await readFile(join(import.meta.dirname, file)));
	const madeOf = hash.digest('hex').slice(0, 12);
	for (const image of UPSTREAM_IMAGES) await make(image, madeOf);
	return UPSTREAM_IMAGES.map(({ name }) => name);
}

async function make({ name, from = 'scratch', layers, settings = [] }: UpstreamImage, madeOf: string): Promise<void> {
	const made = await run('docker', ['image', 'inspect', '--format', `{{index .Config.Labels "${LABEL}"}}`, name]);
	if (made.stdout.trim() === madeOf) return;
	const context = await mkdtemp(join(tmpdir(), 'kubeling-image-'));
	try {
		for (const layer of layers) {
			const dir = join(context, 'layer');
			await mkdir(dir);
			await (FILLS[layer] ?? ((to: string) => marker(to, layer)))(dir);
			await must('tar', ['--owner=0', '--group=0', '--numeric-owner', '-C', dir, '-cf', join(context, `${layer}.tar`), '.']);
			await rm(dir, { recursive: true });
		}
		const lines = [`FROM ${from}`, ...layers.map((layer) => `ADD ${layer}.tar /`), ...settings, `LABEL ${LABEL}=${madeOf}`];
		await writeFile(join(context, 'Dockerfile'), lines.join('\n'));
		await must('docker', ['build', '--quiet', '--force-rm', '--tag', name, context], { timeoutMs: 300_000 });
	} finally {
		await rm(context, { recursive: true, force: true });
	}
}

if (import.meta.main) console.log((await upstreamImages()).join('\n'));
