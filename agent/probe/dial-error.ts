/** What went wrong with a connection, in the words that people know from upstream's events. Pure. */

const WORDS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'connect: connection refused',
	EHOSTUNREACH: 'connect: no route to host',
	ENETUNREACH: 'connect: network is unreachable',
	ETIMEDOUT: 'connect: connection timed out',
};

export function dialMessage(error: Error, host: string, port: number): string {
	const words = WORDS[(error as NodeJS.ErrnoException).code ?? ''];
	const address = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
	if (words !== undefined) return `dial tcp ${address}:${port}: ${words}`;
	return (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? 'read: connection reset by peer' : error.message;
}
