/**
 * State files that upstream's kubelet reads and writes too, in its own form. Earlier versions of this program had a form of their own, with a
 * "version"; they are still read.
 */
import { AppError } from '../../base/errors.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';

/** What stands in a file: `old` is this program's own form of before. */
export type StateFile<Upstream, Old> =
	| { readonly form: 'upstream'; readonly state: Partial<Upstream> }
	| { readonly form: 'old'; readonly state: Partial<Old> };

const OLD_VERSION = 1;

/** Undefined where there is no file. AppError DataLoss for what is no JSON object, FailedPrecondition for a version that nobody knows. */
export async function readStateFile<Upstream, Old>(path: string): Promise<StateFile<Upstream, Old> | undefined> {
	const text = await readIfExists(path);
	if (text === undefined) return undefined;
	let state: unknown;
	try {
		state = JSON.parse(text);
	} catch (cause) {
		throw new AppError('DataLoss', `The state file "${path}" is not valid JSON`, { cause });
	}
	if (typeof state !== 'object' || state === null || Array.isArray(state)) throw corrupted(path);
	const { version } = state as { readonly version?: unknown };
	if (version === undefined) return { form: 'upstream', state: state as Partial<Upstream> };
	if (version !== OLD_VERSION)
		throw new AppError(
			'FailedPrecondition',
			`The state file "${path}" has version ${JSON.stringify(version)}, which this program does not know`,
		);
	return { form: 'old', state: state as Partial<Old> };
}

export async function writeStateFile(path: string, state: object): Promise<void> {
	await writeAtomic(path, JSON.stringify(state));
}

/** In upstream's words. */
export function corrupted(path: string): AppError {
	return new AppError('DataLoss', `checkpoint is corrupted: "${path}"`);
}

/** The two reasons for which a resource manager does not start from its file, in upstream's words: FailedPrecondition both. @param manager "CPU" or "memory" */
export const refusals = (manager: string, path: string) => ({
	unreadable: (cause: Error): AppError =>
		new AppError(
			'FailedPrecondition',
			`could not restore state from checkpoint: ${cause.message}, please drain this node and delete the ${manager} manager checkpoint file "${path}" before restarting Kubelet`,
			{ cause },
		),
	otherPolicy: (configured: string, stored = ''): AppError =>
		new AppError(
			'FailedPrecondition',
			`[${manager.toLowerCase()}manager] configured policy "${configured}" differs from state checkpoint policy "${stored}". Drain this node and delete the file "${path}".`,
		),
});
