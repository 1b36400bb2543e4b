/**
 * What of a suite's output is worth reading again when it failed: the lines of what failed, and the details that
 * ava prints after its closing rule. `npm test` repeats them before the last line, where whoever sees only the end of a log finds them.
 */
const FAILED = /^\s*✘|^failed: /;
const CLOSING_RULE = /^\s*─\s*$/;
/** So that a suite in which everything fails does not hide the others. */
const MOST_LINES = 150;

export class Failures {
	readonly #failed: string[] = [];
	readonly #details: string[] = [];
	#closing = false;

	add(line: string): void {
		if (CLOSING_RULE.test(line)) this.#closing = true;
		else if (this.#closing) this.#details.push(line);
		else if (FAILED.test(line)) this.#failed.push(line);
	}

	/** At most 150 lines of each kind, with a count of those left out. */
	lines(): readonly string[] {
		return [...most(this.#failed), ...most(this.#details)];
	}
}

function most(lines: readonly string[]): readonly string[] {
	return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `... and ${lines.length - MOST_LINES} more lines`];
}
