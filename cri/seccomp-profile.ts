/** A seccomp profile of this node, named by its path. */
import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../base/errors.ts';

/** The engine's API takes the profile's text, not its path. Throws InvalidArgument for what is no JSON file. */
export function readSeccompProfile(path: string): string {
	try {
		return JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the seccomp profile "${path}": ${messageOf(cause)}`, { cause });
	}
}
