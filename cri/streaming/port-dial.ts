/** A connection to a port inside a pod's network namespace, through the native helper: programs that listen on localhost only are reached too. */
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';

/** Writes go to the port, reads come from it; it errors with the helper's message where nobody listens. */
export function dialPort(helperPath: string, pid: number, port: number): Duplex {
	const child = spawn(helperPath, ['dial', String(pid), String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
	let problem = '';
	child.stderr.setEncoding('utf8').on('data', (chunk: string) => (problem += chunk));
	const duplex = Duplex.from({ readable: child.stdout, writable: child.stdin });
	child.on('error', (error) => duplex.destroy(error));
	child.on('exit', (code) => {
		if (code !== 0)
			duplex.destroy(new Error(`Cannot connect to port ${port} of the pod: ${problem.trim() || `helper ended with ${code}`}`));
	});
	duplex.on('close', () => child.kill('SIGKILL'));
	return duplex;
}
