/** A container's log, and the folder that it is in. Pods that mount the node's logs may put links there; the agent reads and writes as root. */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openOwn, openOwnFolder } from '../../host/own-file.ts';

/** Pure. `<root>/<pod>/<container>/<n>.log`: what is above the pod's own folder. */
function rootOf(path: string): string {
	return join(path, '..', '..', '..');
}

/** For reading. Throws FailedPrecondition for what is no file of its own there. */
export function openLog(path: string): Promise<FileHandle> {
	return openOwn(path, rootOf(path), constants.O_RDONLY);
}

/** The log's folder, for itself. The caller closes it. */
export function openLogFolder(path: string): Promise<FileHandle> {
	return openOwnFolder(path, rootOf(path));
}
