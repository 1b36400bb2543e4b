/** Which ids this machine has for pods: those of the user "kubelet" in /etc/subuid and /etc/subgid, or all but its own (upstream getKubeletMappings). */
import { readFile } from 'node:fs/promises';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { runCommand } from '../../host/command.ts';
import { defaultSpan, parseSubIds, type IdSpan } from './id-range.ts';

const USER = 'kubelet';
const TOOL = 'getsubids';

/** @param passwd the machine's users */
export async function spanOfMachine(idsPerPod: number, passwd = '/etc/passwd', tool = TOOL): Promise<IdSpan> {
	const users = await readFile(passwd, 'utf8').catch(() => '');
	// Where the user is, the tool must answer: no answer may be one of a server that is away.
	if (!users.split('\n').some((line) => line.startsWith(`${USER}:`))) return defaultSpan(idsPerPod);
	const ask = (args: readonly string[], what: string): Promise<string> =>
		runCommand(tool, args).catch((cause: unknown) => {
			if (codeOf(cause) === 'Unavailable') throw cause;
			throw new AppError('Internal', `error retrieving additional ${what} for user "${USER}": ${messageOf(cause)}`, { cause });
		});
	try {
		const [uids, gids] = [await ask([USER], 'uids'), await ask(['-g', USER], 'gids')];
		if (uids !== gids) throw new AppError('FailedPrecondition', `mismatched subuids and subgids for user "${USER}"`);
		return parseSubIds(uids);
	} catch (error) {
		if (codeOf(error) === 'Unavailable') return defaultSpan(idsPerPod); // the tool is not installed
		throw error;
	}
}
