/** A pod's interfaces, from its pause process's view of /proc/net/dev. */
import { readSmall } from '../../host/small-file.ts';
import type { NetworkInterfaceUsage, NetworkUsage } from '../proto.ts';

export function networkUsage(pid: number, timestamp: bigint): NetworkUsage | undefined {
	const text = readSmall(`/proc/${pid}/net/dev`);
	if (text === undefined) return undefined;
	const interfaces = parseNetDev(text).filter((i) => i.name !== 'lo');
	return { timestamp, defaultInterface: interfaces.find((i) => i.name === 'eth0') ?? interfaces[0], interfaces };
}

/** Pure: /proc/net/dev. */
export function parseNetDev(text: string): NetworkInterfaceUsage[] {
	return parseCounters(text).map(({ name, counters }) => {
		const value = (index: number): { value: bigint } => ({ value: counters[index] ?? 0n });
		return { name, rxBytes: value(0), rxErrors: value(2), txBytes: value(8), txErrors: value(10) };
	});
}

/** Pure: the 16 counters of each interface; received and sent bytes, packets, errors, drops are 0–3 and 8–11. */
export function parseCounters(text: string): { readonly name: string; readonly counters: readonly bigint[] }[] {
	return text.split('\n').flatMap((line) => {
		const match = /^\s*([^:\s]+):\s*(.*)$/.exec(line);
		if (match === null) return [];
		return [{ name: match[1] as string, counters: (match[2] as string).trim().split(/\s+/).map(BigInt) }];
	});
}
