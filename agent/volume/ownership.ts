/** fsGroup: everything in a volume belongs to the pod's group, which may read and write it. No link is followed, whoever writes there meanwhile. */
import { chmod, chown, lchown, lstat, readdir } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { openEntry, openFolder, placeOf } from '../../host/beneath.ts';

export interface Ownership {
	readonly path: string;
	readonly group: number;
	readonly readOnly: boolean;
	/** Only when the volume's own folder is not as it should be. */
	readonly onMismatch: boolean;
	readonly clock: Clock;
	/** Told of what takes long, in upstream's words. */
	readonly tell: (message: string) => void;
}

/** Upstream's. */
const FIRST_REPORT_MS = 30_000;
const REPORT_MS = 60_000;
const ADVICE =
	'is taking longer than expected, consider using OnRootMismatch - https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods';

export async function setOwnership(o: Ownership, signal: AbortSignal): Promise<void> {
	const root = await openFolder(o.path);
	try {
		if (o.onMismatch && isOwned(await root.stat(), o)) return;
		const progress = new Progress(o);
		await inFolder(root, o, progress, signal);
		// The folder last: one that is as it should be says that all below it is, too.
		await change(placeOf(root), await root.stat(), o);
	} finally {
		await root.close();
	}
}

async function inFolder(folder: FileHandle, o: Ownership, progress: Progress, signal: AbortSignal): Promise<void> {
	for (const entry of await readdir(placeOf(folder), { withFileTypes: true })) {
		signal.throwIfAborted();
		progress.count();
		if (entry.isSymbolicLink()) {
			const path = `${placeOf(folder)}/${entry.name}`;
			const found = await lstat(path).catch(() => undefined);
			if (found?.isSymbolicLink() === true && found.gid !== o.group) await lchown(path, found.uid, o.group);
			continue;
		}
		const handle = await openEntry(folder, entry.name).catch((error: NodeJS.ErrnoException) => {
			// Gone meanwhile, or a link now: neither is ours to follow.
			if (error.code === 'ENOENT' || error.name === 'AppError') return undefined;
			throw error;
		});
		if (handle === undefined) continue;
		try {
			const found = await handle.stat();
			if (found.isDirectory()) await inFolder(handle, o, progress, signal);
			await change(placeOf(handle), found, o);
		} finally {
			await handle.close();
		}
	}
}

/** @param place of an open file: a link of the kernel's own, which is followed */
async function change(place: string, found: Stats, o: Ownership): Promise<void> {
	const mode = (found.mode & 0o7777) | maskOf(found, o);
	if (found.gid !== o.group) await chown(place, found.uid, o.group);
	// A change of owner clears set-id bits.
	if (found.gid !== o.group || mode !== (found.mode & 0o7777)) await chmod(place, mode);
}

function maskOf(found: Stats, { readOnly }: Ownership): number {
	const mask = readOnly ? 0o440 : 0o660;
	return found.isDirectory() ? mask | 0o2110 : mask;
}

function isOwned(found: Stats, o: Ownership): boolean {
	const mask = maskOf(found, o);
	return found.gid === o.group && (found.mode & mask) === mask;
}

class Progress {
	readonly #o: Ownership;
	readonly #from: number;
	#next = FIRST_REPORT_MS;
	#files = 0;

	constructor(o: Ownership) {
		this.#o = o;
		this.#from = o.clock.monotonic();
	}

	count(): void {
		this.#files++;
		if (this.#o.clock.monotonic() - this.#from < this.#next) return;
		// From the pod's uid on: the folders of the node are not the pod's concern.
		const what = `Setting volume ownership for ${this.#o.path.replace(/^.*\/pods\//s, '')}`;
		this.#o.tell(this.#next === FIRST_REPORT_MS ? `${what} ${ADVICE}` : `${what}, processed ${this.#files} files.`);
		this.#next = this.#next === FIRST_REPORT_MS ? REPORT_MS : this.#next + REPORT_MS;
	}
}
