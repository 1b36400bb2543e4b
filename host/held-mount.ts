/**
 * Mounting at paths that were checked: what stands there is held open, so that a link or another folder, put in its place meanwhile, is not mounted on
 * nor from. Paths are real ones. Throws FailedPrecondition, with nothing mounted, where one leads elsewhere by now.
 */
import { fstatSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { openItself, placeFor, placeOf } from './beneath.ts';
import { hasOptions, remountOptions } from './mount-options.ts';
import { isMounted } from './mounted.ts';
import type { Mounter } from './mounter.ts';
import { mount, mountAt, readMounts, unmount, type MountOptions } from './mounts.ts';

/** Only the target is held: a source that is no path of others' needs none of it. */
export async function mountHeld(source: string, target: string, options: MountOptions): Promise<void> {
	await onHeld(target, (place) => mount(source, place, { ...options, asIs: true }));
}

/** A bind mount; of the topmost mount where the source is one, whose own options it has too, beside those that are given (`isOfMount`). */
export async function bindHeld(mounter: Mounter, source: string, target: string, options: readonly string[] = []): Promise<void> {
	await using from = await hold(source);
	await onHeld(target, (place) => mounter.bind(placeFor(from), place));
	try {
		await setOptionsHeld(target, options);
	} catch (error) {
		await unmount(target);
		throw error;
	}
}

/** Gives the topmost mount at the path options of its own; it has what it had besides. */
export async function setOptionsHeld(target: string, options: readonly string[]): Promise<void> {
	if (options.length === 0) return;
	await using held = await hold(target); // the mount itself, not what it covers
	const shown = mountAt(await readMounts(), target)?.options ?? [];
	if (hasOptions(shown, options)) return;
	await mount(placeFor(held), placeFor(held), { options: remountOptions(shown, options), asIs: true });
}

/** Unmounts what is of this host; nothing mounted at the path is success. */
export async function unmountLocal(mounter: Mounter, path: string): Promise<void> {
	if (await isMounted(path)) await mounter.unmount(path);
}

async function onHeld(target: string, make: (place: string) => Promise<void>): Promise<void> {
	await using held = await hold(target);
	await make(placeFor(held));
	const at = whereIs(held);
	if (at === target) return;
	await unmount(at);
	throw elsewhere(target);
}

async function hold(path: string): Promise<FileHandle> {
	const held = await openItself(path);
	if (whereIs(held) === path && !fstatSync(held.fd).isSymbolicLink()) return held;
	await held.close();
	throw elsewhere(path);
}

/** What the kernel has in memory: nothing to wait for. */
function whereIs(held: FileHandle): string {
	return readlinkSync(placeOf(held));
}

function elsewhere(path: string): AppError {
	return new AppError('FailedPrecondition', `"${path}" leads elsewhere than it did when it was checked`);
}
