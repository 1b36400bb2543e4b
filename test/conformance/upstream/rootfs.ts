/** What the images of upstream's suite have beyond those of critest: agnhost with the programs beside it, and what its pets serve. */
import { chmod, copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../tools/command.ts';
import { debianPackages } from '../../tools/debian-packages.ts';
import { etcdBinary } from '../../tools/etcd.ts';
import { program, put } from '../critest/rootfs.ts';
import { noNewPrivs } from '../critest/tools.ts';
import { agnhost, kubernetesSources, kubernetesTool, sampleApiServer } from './tools.ts';

/**
 * Tests compare what upstream's shell, busybox, says. Debian's busybox says the same, but drops variables whose names are no shell's ("data-1"), which upstream's passes on, as bash
 * does: where there is such a one, that is the shell.
 */
const SHELL = [
	'#!/bin/bash',
	"mapfile -d '' -t variables < /proc/$$/environ",
	'for variable in "${variables[@]}"; do',
	'	[[ $variable =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || exec -a "$0" /bin/bash "$@"',
	'done',
	'exec -a "$0" /bin/ash "$@"',
];

/** The layers by name; each is made by filling an empty folder. */
export const UPSTREAM_LAYERS: Readonly<Record<string, (dir: string) => Promise<void>>> = {
	shell: async (dir) => {
		await program(dir, '/bin/bash', 'bin/bash');
		await put(dir, 'bin/sh', SHELL);
		await chmod(join(dir, 'bin/sh'), 0o755);
	},
	'network-programs': networkPrograms,
	agnhost: async (dir) => {
		await copyFile(await agnhost(), join(dir, 'agnhost'));
		await symlink('agnhost', join(dir, 'agnhost-2'));
		const served = join(await kubernetesSources(), 'test/images/agnhost/porter'); // its test-webserver serves them, and probes ask for them
		for (const name of ['localhost.crt', 'localhost.key']) await copyFile(join(served, name), join(dir, name));
		await mkdir(join(dir, 'uploads'));
		await mkdir(join(dir, 'var/registry'), { recursive: true });
		await put(dir, 'etc/passwd', [
			'root:x:0:0:root:/root:/bin/sh',
			'nobody:x:65534:65534:nobody:/:/bin/sh',
			'user-defined-in-image:x:1000:1000::/home:/bin/sh',
		]);
		await put(dir, 'etc/group', [
			'root:x:0:',
			'nobody:x:65534:',
			'user-defined-in-image:x:1000:',
			'group-defined-in-image:x:50000:user-defined-in-image',
		]);
	},
	'sample-apiserver': async (dir) => {
		await copyFile(await sampleApiServer(), join(dir, 'sample-apiserver'));
	},
	etcd: async (dir) => {
		await mkdir(join(dir, 'usr/local/bin'), { recursive: true });
		await copyFile(await etcdBinary('3.6'), join(dir, 'usr/local/bin/etcd'));
	},
	kitten: (dir) => pet(dir, 'kitten'),
	nautilus: (dir) => pet(dir, 'nautilus'),
	'regression-issue-74839': async (dir) => {
		const name = 'regression-issue-74839';
		await copyFile(await kubernetesTool(name, { package: `k8s.io/kubernetes/test/images/${name}` }), join(dir, name));
	},
	nnp: async (dir) => {
		await mkdir(join(dir, 'usr/local/bin'), { recursive: true });
		await copyFile(await noNewPrivs(), join(dir, 'usr/local/bin/nnp'));
		await chmod(join(dir, 'usr/local/bin/nnp'), 0o6755);
	},
};

/** Of Debian, with the libraries that this machine may lack. */
const PACKAGES = ['netcat-openbsd', 'libbsd0', 'bind9-dnsutils', 'bind9-libs', 'libedit2', 'libuv1', 'libfstrm0', 'libjemalloc2'] as const;
const MORE_LIBRARIES = ['liblmdb0', 'libmaxminddb0', 'libprotobuf-c1', 'libxml2', 'libjson-c5', 'libnghttp2-14', 'libidn2-0'] as const;
const OF_THIS_MACHINE = ['curl', 'printenv', 'nohup', 'nsenter', 'ss', 'ip'] as const;

async function networkPrograms(dir: string): Promise<void> {
	for (const name of OF_THIS_MACHINE) await program(dir, (await must('sh', ['-c', `command -v ${name}`])).trim(), `usr/bin/${name}`);
	const packages = await debianPackages('upstream-packages', [...PACKAGES, ...MORE_LIBRARIES]);
	const [machine = ''] = (await readdir(join(packages, 'usr/lib'))).filter((name) => name.endsWith('-linux-gnu'));
	const libraries = join(packages, 'usr/lib', machine);
	for (const name of ['dig', 'nslookup']) await program(dir, join(packages, 'usr/bin', name), `usr/bin/${name}`, libraries);
	await program(dir, join(packages, 'bin/nc.openbsd'), 'usr/bin/nc', libraries);
}

async function pet(dir: string, name: string): Promise<void> {
	await put(dir, `${name}.jpg`, [name]);
	await put(dir, 'data.json', [JSON.stringify({ image: `${name}.jpg` }, null, 2)]);
}
