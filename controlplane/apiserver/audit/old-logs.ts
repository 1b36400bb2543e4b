/** The files that a log was moved to when it had grown too large: which go, and which are compressed (as upstream's rotation has it). */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface OldLogOptions {
	/** Of the log itself. */
	readonly path: string;
	/** Days; 0: whatever their age. */
	readonly maxAgeDays: number;
	/** Old files; 0: all of them. */
	readonly maxBackups: number;
	readonly compress: boolean;
}

const COMPRESSED = '.gz';
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/;
const DAY_MS = 86_400_000;

/** Where the log goes: "audit.log" becomes "audit-2026-01-31T23-59-59.000.log". */
export function oldName(path: string, now: number): string {
	const extension = extname(path);
	const time = new Date(now).toISOString().replaceAll(':', '-').replace('Z', '');
	return join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
}

/** @param names of the files beside the log. Pure. */
export function planOldLogs(
	names: readonly string[],
	{ path, maxAgeDays, maxBackups, compress }: OldLogOptions,
	now: number,
): { readonly remove: readonly string[]; readonly compress: readonly string[] } {
	const extension = extname(path);
	const prefix = `${basename(path, extension)}-`;
	// A file whose compression was broken off is there twice, and counts once.
	const endedAt = new Map<string, number>();
	for (const name of names) {
		const plain = plainName(name);
		if (!plain.startsWith(prefix) || !plain.endsWith(extension)) continue;
		const [, day, h, m, s] = TIME.exec(plain.slice(prefix.length, plain.length - extension.length)) ?? [];
		if (day !== undefined) endedAt.set(plain, Date.parse(`${day}T${h}:${m}:${s}Z`));
	}
	const newestFirst = [...endedAt.keys()].toSorted((a, b) => (endedAt.get(b) ?? 0) - (endedAt.get(a) ?? 0));
	const isKept = (name: string, age: number): boolean =>
		(maxBackups === 0 || age < maxBackups) && (maxAgeDays === 0 || (endedAt.get(name) ?? 0) >= now - maxAgeDays * DAY_MS);
	const kept = new Set(newestFirst.filter(isKept));
	return {
		remove: names.filter((name) => endedAt.has(plainName(name)) && !kept.has(plainName(name))),
		compress: compress ? names.filter((name) => kept.has(name)) : [],
	};
}

function plainName(name: string): string {
	return name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name;
}

export async function tendOldLogs(options: OldLogOptions, now: number): Promise<void> {
	const folder = dirname(options.path);
	const { remove, compress } = planOldLogs(await readdir(folder), options, now);
	for (const name of remove) await rm(join(folder, name), { force: true });
	for (const name of compress) await compressed(join(folder, name));
}

async function compressed(file: string): Promise<void> {
	const { mode } = await stat(file);
	const target = `${file}${COMPRESSED}`;
	await rm(target, { force: true });
	await pipeline(createReadStream(file), createGzip(), createWriteStream(target, { mode: mode & 0o777 }));
	await rm(file);
}
