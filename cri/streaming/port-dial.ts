/** A connection to a port inside a pod's network namespace, through the native helper: programs that listen on localhost only are reached too. */
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';

/** Resolves once connected: writes go to the port, reads come from it. Rejects with Unavailable where nobody listens. */
export function dialPort(helperPath: string, pid: number, port: number): Promise<Duplex> {
	return new Promise((resolve, reject) => {
		const child = spawn(helperPath, ['dial', String(pid), String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
		let said = '';
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
			said += chunk;
			if (!said.startsWith('connected\n')) return;
			child.stderr.removeAllListeners('data').resume();
			const duplex = Duplex.from({ readable: child.stdout, writable: child.stdin });
			duplex.on('close', () => child.kill('SIGKILL'));
			resolve(duplex);
		});
		child.on('error', reject);
		child.on('close', () => reject(new AppError('Unavailable', `failed to connect to localhost:${port} inside the pod: ${said.trim()}`)));
	});
}
