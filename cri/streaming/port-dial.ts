/** A connection to a port inside a pod's network namespace, through the native helper: programs that listen on localhost only are reached too. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';

/** Resolves once connected: writes go to the port, reads come from it. Rejects with Unavailable where nobody listens. */
export function dialPort(helperPath: string, pid: number, port: number): Promise<Duplex> {
	return new Promise((resolve, reject) => {
		const child = spawn(helperPath, ['dial', String(pid), String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
		// From the start: when the helper ends, Node.js lets flow what nobody listens to, and that may be seen before the helper's word that it is connected.
		const connection = connectionOf(child);
		let said = '';
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
			said += chunk;
			if (!said.startsWith('connected\n')) return;
			child.stderr.removeAllListeners('data').resume();
			resolve(connection);
		});
		child.on('error', reject);
		child.on('close', () => reject(new AppError('Unavailable', `failed to connect to localhost:${port} inside the pod: ${said.trim()}`)));
	});
}

/** Its input goes with the helper, which ends when the other side has closed: what that said before is still read, and what is written then is dropped. */
function connectionOf(child: ChildProcessWithoutNullStreams): Duplex {
	const { stdin, stdout } = child;
	const connection = new Duplex({
		read: () => void stdout.resume(),
		write: (chunk: Buffer, _encoding, done) => void stdin.write(chunk, () => done()),
		final: (done) => void stdin.end(() => done()),
		destroy(error, done) {
			child.kill('SIGKILL');
			done(error);
		},
	});
	stdin.on('error', () => {});
	stdout.on('data', (chunk: Buffer) => {
		if (!connection.push(chunk)) stdout.pause();
	});
	stdout.once('end', () => connection.push(null));
	return connection;
}
