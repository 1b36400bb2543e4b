/** What runs for long in the command's own process gets what Node.js takes at its start only, as detached clusters and isolated parts do. */
import { CLUSTER_FLAGS, smallProcess } from '../cluster/node-flags.ts';

/** Starts the command anew in this very process (same id, terminal and parent), unless it has been started so, or by a parent that listens: its channel would be lost. */
export function becomeSmall(flags: readonly string[] = CLUSTER_FLAGS): void {
	if (process.send !== undefined) return;
	const args = smallArguments(process.execArgv, process.argv.slice(1), flags);
	if (args !== undefined) process.execve?.(process.execPath, [process.execPath, ...args], smallProcess(process.env));
}

/** Undefined: nothing is missing. What the user told Node.js comes last and holds. */
export function smallArguments(
	nodeFlags: readonly string[],
	args: readonly string[],
	flags: readonly string[] = CLUSTER_FLAGS,
): readonly string[] | undefined {
	return flags.every((flag) => nodeFlags.includes(flag)) ? undefined : [...flags, ...nodeFlags, ...args];
}
