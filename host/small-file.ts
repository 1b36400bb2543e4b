/** Files that the kernel makes up on the spot (/proc, cgroups): a synchronous read takes some microseconds, an asynchronous one ten times that. */
import { readFileSync } from 'node:fs';

/** The text, or undefined where it cannot be read. Whoever reads many of them yields in between. */
export type ReadSmall = (path: string) => string | undefined;

export const readSmall: ReadSmall = (path) => {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
};

/** The same, each file once: for two looks at one moment that share some files. */
export function readOnce(): ReadSmall {
	const known = new Map<string, string | undefined>();
	return (path) => {
		if (!known.has(path)) known.set(path, readSmall(path));
		return known.get(path);
	};
}
