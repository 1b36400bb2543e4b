/** A Docker Engine of the suite's own, at the engine's usual socket inside the suite's namespaces. */
import { open, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { connectEngine, type Engine } from '../../../cri/engine/engine.ts';
import { eventually } from '../../tools/eventually.ts';
import { RUN } from './place.ts';

export const SOCKET = '/run/docker.sock';

/** `bin` is a folder with dockerd, containerd and runc; the machine's own where none is given. Ends with the namespaces. */
export async function startEngine(logPath: string, cgroupParent: string, bin = '', flags: readonly string[] = []): Promise<Engine> {
	const log = await open(logPath, 'a');
	const config = join(RUN, 'daemon.json');
	await writeFile(config, '{}'); // none of the machine's own
	const path = bin === '' ? process.env['PATH'] : `${bin}${delimiter}${process.env['PATH']}`;
	const args = [
		`--host=unix://${SOCKET}`,
		`--data-root=${join(RUN, 'docker')}`,
		`--exec-root=${join(RUN, 'docker-exec')}`,
		'--pidfile=/run/docker.pid',
		`--config-file=${config}`,
		`--cgroup-parent=${cgroupParent}`,
		'--exec-opt=native.cgroupdriver=cgroupfs',
		'--bridge=none',
		'--iptables=false',
		'--experimental',
		...flags,
	];
	const child = spawn(bin === '' ? 'dockerd' : join(bin, 'dockerd'), args, {
		stdio: ['ignore', log.fd, log.fd],
		env: { ...process.env, PATH: path },
	});
	let ended = false;
	child.once('error', () => (ended = true)).once('exit', () => (ended = true));
	const engine = await eventually(`dockerd is ready (${logPath} says why not)`, async () => {
		if (ended) throw new Error(`dockerd ended; see ${logPath}`);
		return connectEngine(SOCKET).catch(() => undefined);
	});
	await log.close();
	return engine;
}
