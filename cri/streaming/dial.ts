/** Connects to a port on the loopback of a pod's network namespace: the native helper joins it and carries the bytes. */
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';

/** Resolves once the helper runs; a port nobody listens on shows as an end with an error. */
export function dialPod(helperPath: string, pid: number, port: number): Promise<Duplex> {
	const child = spawn(helperPath, ['dial', String(pid), String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
	let problem = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
	child.stdin.on('error', () => {});
	const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
	stream.once('close', () => child.kill('SIGKILL'));
	child.once('close', (code) => {
		if (code !== 0 && code !== null)
			stream.destroy(new AppError('Unavailable', problem.trim() || `cannot connect to port ${port} of the pod`));
	});
	return new Promise((resolve, reject) => {
		child.once('error', (cause) => reject(new AppError('Internal', `Cannot run "${helperPath}": ${cause.message}`, { cause })));
		child.once('spawn', () => resolve(stream));
	});
}
