/** The name of a pool: made with it and kept in it. Its topology is the pool, since only this host reaches the data. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { readState, writeState } from '../../base/files.ts';

const VERSION = 1;

/** Two processes that start at once may both make one: the later wins, and both read it again. */
export async function loadPoolId(dataDir: string, clock: Clock): Promise<string> {
	await mkdir(dataDir, { recursive: true, mode: 0o700 });
	const path = join(dataDir, 'pool.json');
	const read = async (): Promise<string | undefined> => (await readState<{ id: string }>(path, VERSION))?.id;
	const known = await read();
	if (known !== undefined) return known;
	await writeState(path, VERSION, { id: clock.uuid() });
	const made = await read();
	if (made === undefined) throw new AppError('DataLoss', `"${path}" has no id`);
	return made;
}
