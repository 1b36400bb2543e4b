/** Which ids this machine has for pods: those of the user "kubelet" in /etc/subuid and /etc/subgid, or all but its own (upstream getKubeletMappings). */
import { readFile } from 'node:fs/promises';
import { AppError, ignoreErrno, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CommandFailure, runCommand } from '../../host/command.ts';
import { defaultSpan, parseSubIds, type IdSpan } from './id-range.ts';

const USER = 'kubelet';
const TOOLS = { getent: 'getent', getsubids: 'getsubids', passwd: '/etc/passwd' };
/** getent's, for a key that is not there. */
const NOT_FOUND = 2;

/** @param tools what tells of users (`passwd` where there is no getent) and of their ids */
export async function spanOfMachine(idsPerPod: number, log: Log, tools = TOOLS): Promise<IdSpan> {
	// Where the user is, the tool must answer: no answer may be one of a server that is away.
	if (!(await hasUser(tools))) return defaultSpan(idsPerPod);
	const ask = (args: readonly string[], what: string): Promise<string> =>
		runCommand(tools.getsubids, args).catch((cause: unknown) => {
			if (isMissing(cause)) throw cause;
			throw new AppError('Internal', `error retrieving additional ${what} for user "${USER}": ${messageOf(cause)}`, { cause });
		});
	try {
		const [uids, gids] = [await ask([USER], 'uids'), await ask(['-g', USER], 'gids')];
		if (uids !== gids) throw new AppError('FailedPrecondition', `mismatched subuids and subgids for user "${USER}"`);
		return parseSubIds(uids);
	} catch (error) {
		if (!isMissing(error)) throw error;
		log.warn('pods have ids of the whole machine: what tells which are for them is not installed', { user: USER, tool: tools.getsubids });
		return defaultSpan(idsPerPod);
	}
}

/** As far as the machine can tell, servers of users included. AppError where it cannot. */
async function hasUser({ getent, passwd }: typeof TOOLS): Promise<boolean> {
	try {
		await runCommand(getent, ['passwd', USER]);
		return true;
	} catch (error) {
		if (error instanceof CommandFailure && error.exitCode === NOT_FOUND) return false;
		if (!isMissing(error)) throw notTold(error);
	}
	const users = await readFile(passwd, 'utf8')
		.catch(ignoreErrno('ENOENT'))
		.catch((error: unknown) => {
			throw notTold(error);
		});
	return users?.split('\n').some((line) => line.startsWith(`${USER}:`)) === true;
}

function notTold(cause: unknown): AppError {
	return new AppError('Internal', `cannot look for the user "${USER}": ${messageOf(cause)}`, { cause });
}

/** A command is not installed. */
function isMissing(error: unknown): boolean {
	return error instanceof AppError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
