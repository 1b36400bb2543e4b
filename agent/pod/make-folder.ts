/** Makes the folder of a pod's files: the first who needs it does. */
import { mkdir } from 'node:fs/promises';
import { podFolder } from './folders.ts';

/** Its path; there already is success. What is in it is for the agent's user and group only, as upstream has it. */
export async function makePodFolder(rootDir: string, uid: string): Promise<string> {
	const folder = podFolder(rootDir, uid);
	await mkdir(folder, { recursive: true, mode: 0o750 });
	return folder;
}
