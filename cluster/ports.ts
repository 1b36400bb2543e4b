/** Finding TCP ports that nobody uses, and that no other cluster of this machine has chosen and is about to use. */
import { createServer } from 'node:net';
import { AppError } from '../base/errors.ts';
import type { Reservations } from './reservations.ts';

/** True when the address and port can be listened on now. */
export function isFree(port: number, address: string): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(true)));
	});
}

/** The first free port from `first` on, reserved where reservations are given; tries 200. */
export async function freePort(first: number, address: string, reservations?: Reservations): Promise<number> {
	for (let port = first; port < first + 200 && port < 65536; port++) if (await takeFree(port, address, reservations)) return port;
	throw new AppError('ResourceExhausted', `No free port from ${first} to ${first + 199} on ${address}`);
}

/** True when the port is free and now reserved. Reserved first: whoever had it before may have bound it meanwhile. */
export async function takeFree(port: number, address: string, reservations?: Reservations): Promise<boolean> {
	if (reservations === undefined) return isFree(port, address);
	if (!(await reservations.reserve(nameOf(port)))) return false;
	if (await isFree(port, address)) return true;
	await reservations.release(nameOf(port));
	return false;
}

/** Reserves a port that was asked for. Fails with a plain message when it is taken. */
export async function requireFree(port: number, address: string, flag: string, reservations: Reservations): Promise<void> {
	// Clusters on addresses of their own may well serve on one port.
	const other = !(await reservations.reserve(nameOf(port))) && EVERYWHERE.has(address);
	if (other || !(await isFree(port, address)))
		throw new AppError(
			'FailedPrecondition',
			`Port ${port} is in use by another ${other ? 'cluster' : 'program'}. Stop it, or choose another with ${flag}.`,
		);
}

const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function nameOf(port: number): string {
	return `port-${port}`;
}
