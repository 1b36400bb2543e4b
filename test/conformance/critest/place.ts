/**
 * Where the suite runs: namespaces of its own (mounts, network, processes, IPC, host name) with its own /run, so that neither the
 * machine's engine nor its network see anything of it. All of it ends with the process.
 */
import { spawn } from 'node:child_process';
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../tools/command.ts';

/** On a tmpfs, gone with the namespaces. */
export const RUN = '/run/kubeling-critest';

/** Runs a TypeScript file in there; its output is this process's. Resolves with its exit code. A shell is process 1, since orphans need one who reaps them. */
export async function inOwnNamespaces(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
	// What the machine unmounts is unmounted in there, too, and no mount of its is held; none that is made in there comes out.
	const flags = ['--mount', '--propagation', 'slave', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'];
	const child = spawn('unshare', [...flags, 'sh', '-c', '"$@"; exit $?', 'sh', process.execPath, file, ...args], { stdio: 'inherit', env });
	return new Promise((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code ?? 1)));
}

/** Called first inside. Mounts made from here on stay here; they are shared below, as container runtimes expect of a host. */
export async function prepareHost(hostsLines: readonly string[]): Promise<void> {
	await must('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', '/run']);
	await must('mkdir', ['-p', join(RUN, 'tmp')]);
	await must('sh', ['-c', `cat /etc/hosts > ${RUN}/hosts; cat >> ${RUN}/hosts`], { input: `\n${hostsLines.join('\n')}\n` });
	await must('mount', ['--bind', join(RUN, 'hosts'), '/etc/hosts']);
	await must('mount', ['--make-rshared', '/']);
	await must('ip', ['link', 'set', 'lo', 'up']);
	await must('hostname', ['critest']);
}

/** The cgroups that killed containers left below `parent`, in every hierarchy. */
export async function removeCgroups(parent: string): Promise<void> {
	for (const hierarchy of ['', ...(await readdir('/sys/fs/cgroup').catch(() => []))])
		await removeTree(join('/sys/fs/cgroup', hierarchy, parent));
}

async function removeTree(dir: string): Promise<void> {
	const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) if (entry.isDirectory()) await removeTree(join(dir, entry.name));
	await rmdir(dir).catch(() => undefined);
}
