/** The upgrade to SPDY. Pure. */
import type { IncomingHttpHeaders } from 'node:http';

export const SPDY = 'SPDY/3.1';

/** Whether an answer upgrades to it. */
export function isSpdy({ connection = '', upgrade = '' }: IncomingHttpHeaders): boolean {
	return connection.toLowerCase().includes('upgrade') && upgrade.toLowerCase().includes(SPDY.toLowerCase());
}
