/** The file for a container's last words: made before it starts, mounted into it, read once it has ended; by no link. */
import { constants } from 'node:fs';
import { openOwn } from '../../host/own-file.ts';
import { terminationFile } from '../pod/folders.ts';

/** Its path, once it is there and empty. */
export async function makeTerminationFile(rootDir: string, uid: string, container: string, attempt: number): Promise<string> {
	const path = terminationFile(rootDir, uid, container, attempt);
	await using file = await openOwn(path, rootDir, constants.O_WRONLY | constants.O_CREAT, 0o600);
	await file.truncate();
	// The container's user, whoever it is, writes here.
	await file.chmod(0o666);
	return path;
}

/** The last `bytes` of it; empty where there is none. */
export async function readTerminationFile(
	rootDir: string,
	uid: string,
	container: string,
	attempt: number,
	bytes: number,
): Promise<string> {
	await using file = await openOwn(terminationFile(rootDir, uid, container, attempt), rootDir, constants.O_RDONLY).catch(() => undefined);
	if (file === undefined) return '';
	const { size } = await file.stat();
	const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, Math.max(0, size - bytes));
	return buffer.subarray(0, bytesRead).toString('utf8');
}
