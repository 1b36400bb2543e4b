/**
 * Runs a script of cases in network and mount namespaces of its own and tells how each went: the script prints one JSON line a case
 * (`report`), and whatever else it says is for people.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface CaseReport {
	readonly name: string;
	/** Absent where it passed. */
	readonly error?: string | undefined;
}

const MARK = '@case ';

/** Of the script's side. */
export function report(done: CaseReport): void {
	console.log(`${MARK}${JSON.stringify(done)}`);
}

/** Resolves with what was reported and what else was said once the script ended. */
export async function inOwnNamespaces(
	script: string,
	args: readonly string[],
): Promise<{ readonly cases: readonly CaseReport[]; readonly said: string }> {
	const child = spawn(
		'unshare',
		['--net', '--mount', '--propagation', 'private', process.execPath, '--disable-warning=ExperimentalWarning', script, ...args],
		{ stdio: ['ignore', 'pipe', 'pipe'] },
	);
	const cases: CaseReport[] = [];
	const said: string[] = [];
	createInterface(child.stdout).on('line', (line) => {
		if (line.startsWith(MARK)) cases.push(JSON.parse(line.slice(MARK.length)) as CaseReport);
		else said.push(line);
	});
	createInterface(child.stderr).on('line', (line) => said.push(line));
	const code = await new Promise((resolve) => child.once('close', resolve));
	if (code !== 0) said.push(`ended with ${String(code)}`);
	return { cases, said: said.join('\n') };
}
