/** The static programs that a package carries, as files that can be run. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import { writeAtomic } from '../../base/files.ts';

/** The program for a processor. FailedPrecondition where there is none for it. */
export function programFor(name: string, base64: Readonly<Record<'x64' | 'arm64', string>>, arch: string = process.arch): Buffer {
	if (arch !== 'x64' && arch !== 'arm64')
		throw new AppError('FailedPrecondition', `No ${name} helper for processor architecture "${arch}": x64 and arm64 only`);
	return Buffer.from(base64[arch], 'base64');
}

/** Writes the program to the path, unless it is there already. */
export async function installProgram(path: string, program: Buffer): Promise<void> {
	const there = await readFile(path).then(
		(found) => found.equals(program),
		() => false,
	);
	if (!there) await writeAtomic(path, program, 0o755);
}
