/** Open file descriptors of a process, and how many more of them are no leak. */
import { readdir } from 'node:fs/promises';

/** What comes and goes: connections, calls and file operations under way. */
export const FDS_SPARE = 6;

export async function openFiles(pid: number): Promise<number> {
	return (await readdir(`/proc/${pid}/fd`)).length;
}
