/** Files that the kernel makes up on the spot (/proc, cgroups): a synchronous read takes some microseconds, an asynchronous one ten times that. */
import { readFileSync } from 'node:fs';

/** The text, or undefined where it cannot be read. Whoever reads many of them yields in between. */
export function readSmall(path: string): string | undefined {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
}
