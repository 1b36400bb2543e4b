/** RE2 patterns, compiled once. */
import { RE2JS } from 're2js';
import { EvalError } from '../errors.ts';

const compiled = new Map<string, RE2JS>();
const MAX_COMPILED = 512;

/** EvalError in Go's words when it is no pattern. */
export function patternOf(text: string): RE2JS {
	let pattern = compiled.get(text);
	if (pattern === undefined) {
		try {
			pattern = RE2JS.compile(text);
		} catch (error) {
			throw new EvalError(`error parsing regexp: ${(error as Error).message.replace(/^error parsing regexp: /, '')}`);
		}
		if (compiled.size >= MAX_COMPILED) compiled.clear();
		compiled.set(text, pattern);
	}
	return pattern;
}
