/** Memory of the machine, from /proc/meminfo. */
import { readFile } from 'node:fs/promises';

export interface MemoryInfo {
	readonly totalBytes: number;
	/** What new programs could use without swapping. */
	readonly availableBytes: number;
	readonly freeBytes: number;
	readonly swapTotalBytes: number;
	readonly swapFreeBytes: number;
	/** Huge page sizes (as `hugepages-2Mi` spells them) and the bytes reserved for each are not in meminfo; see facts.ts. */
	readonly cachedBytes: number;
}

/** Pure: the text of /proc/meminfo, whose figures are in kB. */
export function parseMemInfo(text: string): MemoryInfo {
	const kb = new Map<string, number>();
	for (const line of text.split('\n')) {
		const match = /^(\S+):\s+(\d+)/.exec(line);
		if (match !== null) kb.set(match[1] as string, Number(match[2]));
	}
	const bytes = (name: string): number => (kb.get(name) ?? 0) * 1024;
	return {
		totalBytes: bytes('MemTotal'),
		availableBytes: bytes(kb.has('MemAvailable') ? 'MemAvailable' : 'MemFree'),
		freeBytes: bytes('MemFree'),
		swapTotalBytes: bytes('SwapTotal'),
		swapFreeBytes: bytes('SwapFree'),
		cachedBytes: bytes('Cached'),
	};
}

export async function memoryInfo(): Promise<MemoryInfo> {
	return parseMemInfo(await readFile('/proc/meminfo', 'utf8'));
}
