/** Which of upstream's conformance tests have one of ours, by title, and which wait and for what. Pure but for reading this folder. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;

/** Tests that cannot be written yet, and what each waits for. */
export const WAITING: Readonly<Record<string, string>> = {
	'[sig-cli] Kubectl client Guestbook application should create and stop a working application [Conformance]':
		'DNS and a service proxy: its parts find each other by service name',
};

/** Upstream's names of the three areas, as the 1.36 suite has them. */
export function upstreamNames(): readonly string[] {
	return readFileSync(join(HERE, 'names.txt'), 'utf8').trim().split('\n');
}

/** Titles of `conformance(…)` calls in the source of this folder. */
export function titles(): readonly string[] {
	const found: string[] = [];
	for (const path of globSync('behaviours/*.ts', { cwd: HERE }))
		for (const [, , title] of readFileSync(join(HERE, path), 'utf8').matchAll(/conformance\(\s*(['"])(\[sig-.*)\1,/g))
			found.push(title ?? '');
	return found;
}

export interface Coverage {
	readonly total: number;
	readonly tested: number;
	/** Neither tested nor said to wait. */
	readonly missing: readonly string[];
	/** Titles that are none of upstream's, or twice there, or said to wait. */
	readonly wrong: readonly string[];
}

export function coverage(): Coverage {
	const names = upstreamNames();
	const ours = titles();
	const wrong = ours.filter((title, i) => !names.includes(title) || ours.indexOf(title) !== i || title in WAITING);
	const missing = names.filter((name) => !ours.includes(name) && !(name in WAITING));
	return { total: names.length, tested: names.filter((name) => ours.includes(name)).length, missing, wrong };
}

if (import.meta.main) {
	const { total, tested, missing, wrong } = coverage();
	console.log(`${tested} of ${total}`);
	for (const name of missing) console.log(`missing: ${name}`);
	for (const name of wrong) console.log(`wrong: ${name}`);
}
