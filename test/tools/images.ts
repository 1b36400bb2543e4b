/** Container images for tests, made from this machine's own files: no registry is needed. */
import { mkdir, mkdtemp, rm, writeFile, copyFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must, run } from './command.ts';

export const BUSYBOX = 'kubeling.test/busybox:1';

/** TEST_IMAGES=loaded: the node that is asked has them, and is none of the Docker Engine of this machine. */
const isThere = async (image: string): Promise<boolean> =>
	process.env['TEST_IMAGES'] === 'loaded' || (await run('docker', ['image', 'inspect', image])).code === 0;

/** Makes the busybox image once, from Debian's busybox-static; the name is what pods use. */
export async function busyboxImage(): Promise<string> {
	if (await isThere(BUSYBOX)) return BUSYBOX;
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-image-'));
	try {
		for (const folder of ['bin', 'etc', 'tmp', 'var/www', 'root', 'proc', 'sys', 'dev'])
			await mkdir(join(dir, folder), { recursive: true });
		await copyFile('/bin/busybox', join(dir, 'bin/busybox'));
		const applets = (await must('/bin/busybox', ['--list'])).split('\n').filter((a) => a !== '' && a !== 'busybox');
		for (const applet of applets) await symlink('busybox', join(dir, 'bin', applet));
		await writeFile(join(dir, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n');
		await writeFile(join(dir, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n');
		await writeFile(join(dir, 'var/www/index.html'), 'hello from busybox\n');
		await must('sh', ['-c', `tar -C ${dir} -c . | docker import -c 'CMD ["sh"]' -c 'ENV PATH=/bin' - ${BUSYBOX}`]);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
	return BUSYBOX;
}

export const COMMAND = 'kubeling.test/command:1';

/** An image that says `entrypoint default arguments` when nothing else is asked of it. */
export async function commandImage(): Promise<string> {
	const from = await busyboxImage();
	const dockerfile = `FROM ${from}\nENTRYPOINT ["/bin/echo", "entrypoint"]\nCMD ["default", "arguments"]\n`;
	if (!(await isThere(COMMAND))) await must('docker', ['build', '--quiet', '--tag', COMMAND, '-'], { input: dockerfile });
	return COMMAND;
}
