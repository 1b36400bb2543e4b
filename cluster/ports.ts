/** Finding TCP ports that nobody uses. */
import { createServer } from 'node:net';
import { AppError } from '../base/errors.ts';

/** True when the address and port can be listened on now. */
export function isFree(port: number, address: string): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(true)));
	});
}

/** The first free port from `first` on; tries 200. */
export async function freePort(first: number, address: string): Promise<number> {
	for (let port = first; port < first + 200 && port < 65536; port++) if (await isFree(port, address)) return port;
	throw new AppError('ResourceExhausted', `No free port from ${first} to ${first + 199} on ${address}`);
}

/** Fails with a plain message when the port is taken. */
export async function requireFree(port: number, address: string, flag: string): Promise<void> {
	if (!(await isFree(port, address)))
		throw new AppError('FailedPrecondition', `Port ${port} is in use by another program. Stop it, or choose another with ${flag}.`);
}
