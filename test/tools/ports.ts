/** Ports for servers that are told theirs before they listen, or that go and come back. */
import { isFree } from '../../cluster/ports.ts';

/** Below what the kernel gives to connections (ip_local_port_range), above where clusters look by themselves; processes that run at once have near ids. */
const [FIRST, PROCESSES, EACH] = [24_400, 400, 20];
let count = 0;

/** One that is free, and that no other test of this machine chooses meanwhile. */
export async function ownPort(address: string): Promise<number> {
	for (let tries = 0; tries < EACH; tries++) {
		const port = FIRST + (process.pid % PROCESSES) * EACH + (count++ % EACH);
		if (await isFree(port, address)) return port;
	}
	throw new Error(`None of ${EACH} ports is free on ${address}`);
}
