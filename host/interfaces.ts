/** Network interfaces and routes of this machine. */
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

export interface Route {
	readonly interface: string;
	/** Destination network in CIDR form. */
	readonly destination: string;
	readonly gateway: string;
	readonly metric: number;
}

/** Pure: the text of /proc/net/route, whose addresses are hex in the byte order of the host (little endian). */
export function parseRoutes(text: string): readonly Route[] {
	return text
		.split('\n')
		.slice(1)
		.map((line) => line.split('\t'))
		.filter((f) => f.length >= 8)
		.map((f) => ({
			interface: f[0] as string,
			destination: `${hexAddress(f[1] as string)}/${prefixOf(f[7] as string)}`,
			gateway: hexAddress(f[2] as string),
			metric: Number(f[6]),
		}));
}

export async function routes(): Promise<readonly Route[]> {
	return parseRoutes(await readFile('/proc/net/route', 'utf8'));
}

/** The IPv4 address that others reach this machine at: of the default route's interface, else of the first that is not loopback. */
export async function defaultAddress(): Promise<string | undefined> {
	const found = [...(await routes())].filter((r) => r.destination === '0.0.0.0/0').sort((a, b) => a.metric - b.metric)[0];
	const interfaces = networkInterfaces();
	const addressOf = (name: string): string | undefined => interfaces[name]?.find((a) => a.family === 'IPv4' && !a.internal)?.address;
	const preferred = found === undefined ? undefined : addressOf(found.interface);
	if (preferred !== undefined) return preferred;
	for (const name of Object.keys(interfaces)) {
		const address = addressOf(name);
		if (address !== undefined) return address;
	}
	return undefined;
}

function hexAddress(hex: string): string {
	return (hex.match(/../g) ?? [])
		.map((byte) => Number.parseInt(byte, 16))
		.reverse()
		.join('.');
}

function prefixOf(hex: string): number {
	return (Number.parseInt(hex, 16) >>> 0).toString(2).split('1').length - 1;
}
