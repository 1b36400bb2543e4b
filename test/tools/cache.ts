/** Where tests keep what they built or fetched once: the repository's `.cache/tools`. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';

export const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'tools');

export async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
