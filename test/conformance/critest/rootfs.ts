/** The file systems that the suite's images are made of, as folders built from Debian's programs and this machine's libraries. */
import { chmod, copyFile, cp, link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pauseBinary } from '../../../cri/network/helper.ts';
import { must } from '../../tools/command.ts';
import { debianPrograms, noNewPrivs } from './tools.ts';
import { exists } from '../../tools/cache.ts';

const PASSWD = ['root:x:0:0:root:/root:/bin/sh', 'www-data:x:33:33:www-data:/var/www:/bin/sh', 'nobody:x:65534:65534:nobody:/:/bin/sh'];
/** Where the loader looks without being told. */
const LIBRARIES = 'usr/lib';
const GROUP = ['root:x:0:', 'www-data:x:33:', 'nogroup:x:65534:'];

/** The layers by name; each is made by filling an empty folder. */
export const LAYERS: Readonly<Record<string, (dir: string) => Promise<void>>> = {
	busybox,
	'predefined-group': async (dir) => {
		await put(dir, 'etc/passwd', [...PASSWD, 'default-user:x:1000:1000:default-user:/home:/bin/sh']);
		await put(dir, 'etc/group', [...GROUP, 'default-user:x:1000:', 'group-defined-in-image:x:50000:default-user']);
	},
	nginx: (dir) => nginx(dir, 80),
	'hostnet-nginx': (dir) => nginx(dir, 12003),
	httpd: async (dir) => {
		await put(dir, 'srv/index.html', ['It works!']);
		await put(dir, 'usr/bin/serve', ['#!/bin/sh', 'echo "httpd serves port 80"', 'exec httpd -f -vv -p 80 -h /srv']);
		await chmod(join(dir, 'usr/bin/serve'), 0o755);
	},
	nonewprivs: async (dir) => {
		await copyFile(await noNewPrivs(), join(dir, 'nnp'));
		await chmod(join(dir, 'nnp'), 0o4755);
	},
	pause: async (dir) => {
		await writeFile(join(dir, 'pause'), pauseBinary(), { mode: 0o755 });
	},
};

/** A layer whose only purpose is to make its image differ from others. */
export async function marker(dir: string, name: string): Promise<void> {
	await put(dir, name, [name]);
}

async function busybox(dir: string): Promise<void> {
	const binary = join(await debianPrograms(), 'bin/busybox');
	for (const folder of ['bin', 'etc', 'root', 'proc', 'sys', 'dev', 'run', 'var/run', 'var/www', 'home', 'usr/bin', 'mnt'])
		await mkdir(join(dir, folder), { recursive: true });
	await mkdir(join(dir, 'tmp'));
	await chmod(join(dir, 'tmp'), 0o1777);
	await copyFile(binary, join(dir, 'bin/busybox'));
	await libraries(dir, binary);
	const applets = (await must(binary, ['--list'])).split('\n').filter((a) => a !== '' && a !== 'busybox');
	for (const applet of applets) await link(join(dir, 'bin/busybox'), join(dir, 'bin', applet));
	// Two programs that Debian's busybox is built without.
	await program(dir, '/usr/bin/ipcs', 'usr/bin/ipcs');
	await put(dir, 'usr/bin/pgrep', [
		'#!/bin/sh',
		'for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" = "$1" ] && echo ${p#/proc/} && found=1; done',
		'[ -n "$found" ]',
	]);
	await chmod(join(dir, 'usr/bin/pgrep'), 0o755);
	await put(dir, 'etc/passwd', PASSWD);
	await put(dir, 'etc/group', GROUP);
}

async function nginx(dir: string, port: number): Promise<void> {
	await program(dir, join(await debianPrograms(), 'usr/sbin/nginx'), 'usr/sbin/nginx');
	for (const folder of ['var/log/nginx', 'var/lib/nginx', 'etc/nginx', 'usr/share/nginx'])
		await mkdir(join(dir, folder), { recursive: true });
	for (const log of ['error', 'access']) await symlink(`/dev/std${log === 'error' ? 'err' : 'out'}`, join(dir, `var/log/nginx/${log}.log`));
	await put(dir, 'usr/share/nginx/html/index.html', ['Welcome to nginx!']);
	await put(dir, 'etc/nginx/nginx.conf', [
		'daemon off;',
		'user www-data;',
		'worker_processes 1;',
		'pid /var/run/nginx.pid;',
		'events {}',
		`http { access_log /dev/stdout; server { listen ${port}; root /usr/share/nginx/html; } }`,
	]);
}

/** A program with the libraries that it is linked to: this machine's, or those of the folder `libraryPath`, which have their usual place in the image. */
export async function program(dir: string, from: string, to: string, libraryPath?: string): Promise<void> {
	await mkdir(dirname(join(dir, to)), { recursive: true });
	await copyFile(from, join(dir, to));
	await chmod(join(dir, to), 0o755);
	await libraries(dir, from, libraryPath);
}

async function libraries(dir: string, binary: string, libraryPath = ''): Promise<void> {
	const linked = await must('ldd', [binary], { env: { ...process.env, LD_LIBRARY_PATH: libraryPath } });
	const missing = /^\s*(\S+) => not found/m.exec(linked)?.[1];
	if (missing !== undefined) throw new Error(`${binary} needs ${missing}, which this machine lacks`);
	for (const [, path = ''] of linked.matchAll(/(\/\S+) \(0x/g)) {
		const to = join(dir, libraryPath !== '' && path.startsWith(libraryPath) ? join(LIBRARIES, basename(path)) : path);
		if (await exists(to)) continue;
		await mkdir(dirname(to), { recursive: true });
		await cp(path, to, { dereference: true });
	}
}

export async function put(dir: string, path: string, lines: readonly string[]): Promise<void> {
	await mkdir(dirname(join(dir, path)), { recursive: true });
	await writeFile(join(dir, path), `${lines.join('\n')}\n`);
}
