/** What upstream's scripts print as a score. Pure. */
import type { Spec } from '../critest/report.ts';

/** Of a case that failed, the last so many lines are told. */
const LINES = 30;

/** The cases as they end, line by line. */
export class Cases {
	readonly specs: Spec[] = [];
	#name: string | undefined;
	#lines: string[] = [];
	#began: number;
	/** The script came to its end. */
	ended = false;

	/** @param now ms */
	constructor(now: number) {
		this.#began = now;
	}

	/** The case that has ended with this line. */
	add(line: string, now: number): Spec | undefined {
		const text = withoutColors(line);
		const next = /^Recording: (\w+)$/.exec(text)?.[1];
		const failed = /^Error when running (\w+)$/.exec(text)?.[1];
		if (/^TESTS PASSED$|^FAILED TESTS: /.test(text)) this.ended = true;
		// The first one looks whether the script's own bookkeeping sees failures.
		if (next === 'record_command_canary') return undefined;
		if (next !== undefined) {
			const before = this.#end('passed', now);
			[this.#name, this.#lines, this.#began] = [next, [], now];
			return before;
		}
		if (failed !== undefined) return this.#end('failed', now);
		if (this.ended) return this.#end('passed', now);
		this.#lines.push(text);
		return undefined;
	}

	#end(result: 'passed' | 'failed', now: number): Spec | undefined {
		if (this.#name === undefined) return undefined;
		const message = result === 'failed' ? this.#lines.slice(-LINES).join('\n') : '';
		const spec = { name: this.#name, result, message, seconds: (now - this.#began) / 1000 };
		this.specs.push(spec);
		this.#name = undefined;
		return spec;
	}
}

function withoutColors(line: string): string {
	// oxlint-disable-next-line no-control-regex
	return line.replaceAll(/\u001b(?:\[[\d;]*m|\([A-Z])/g, '');
}
