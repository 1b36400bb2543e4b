/**
 * Mounting at paths that were checked: what stands there is held open, so that a link or another folder, put in its place meanwhile, is not mounted on
 * nor from. Paths are real ones. Throws FailedPrecondition, with nothing mounted, where one leads elsewhere by now.
 */
import { readlink, type FileHandle } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { openItself, placeOf } from './beneath.ts';
import { isMounted } from './mounted.ts';
import { mount, unmount, unmountTopmost, type MountOptions } from './mounts.ts';

/** Only the target is held: a source that is no path of others' needs none of it. */
export async function mountHeld(source: string, target: string, options: MountOptions): Promise<void> {
	await using held = await hold(target);
	await mount(source, placeFor(held), { ...options, asIs: true });
	const at = await readlink(placeOf(held));
	if (at === target) return;
	await unmount(at);
	throw elsewhere(target);
}

/** A bind mount; of the topmost mount where the source is one. */
export async function bindHeld(source: string, target: string, { readOnly = false } = {}): Promise<void> {
	await using from = await hold(source);
	await mountHeld(placeFor(from), target, { options: ['bind'] });
	if (!readOnly) return;
	try {
		// The mount itself now, not what it covers.
		await using held = await hold(target);
		await mount(placeFor(from), placeFor(held), { options: ['remount', 'bind', 'ro'], asIs: true });
	} catch (error) {
		await unmount(target);
		throw error;
	}
}

/** Unmounts what is of this host; nothing mounted at the path is success. */
export async function unmountLocal(path: string): Promise<void> {
	if (await isMounted(path)) await unmountTopmost(path);
}

async function hold(path: string): Promise<FileHandle> {
	const held = await openItself(path);
	if ((await readlink(placeOf(held))) === path && !(await held.stat()).isSymbolicLink()) return held;
	await held.close();
	throw elsewhere(path);
}

/** For a child process. */
function placeFor(held: FileHandle): string {
	return placeOf(held).replace('self', String(process.pid));
}

function elsewhere(path: string): AppError {
	return new AppError('FailedPrecondition', `"${path}" leads elsewhere than it did when it was checked`);
}
