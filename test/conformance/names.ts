/** Which of upstream's conformance tests have one of ours, by title, and which wait and for what. Pure but for reading this folder. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;

/** Tests that cannot be written yet, and what each waits for. */
export const WAITING: Readonly<Record<string, string>> = {
	'[sig-cli] Kubectl client Guestbook application should create and stop a working application [Conformance]':
		'DNS and a service proxy: its parts find each other by service name',
};

/** A list of upstream's names and the files that have a test for each. */
export interface Suite {
	readonly names: string;
	readonly files: string;
	readonly waiting: Readonly<Record<string, string>>;
}

/** The areas sig-api-machinery, sig-auth and sig-cli. */
export const API: Suite = { names: 'names.txt', files: 'behaviours/*.ts', waiting: WAITING };
/** sig-node, and of sig-storage what a node is enough for. */
export const NODE: Suite = { names: 'node/names.txt', files: 'node/*/*.ts', waiting: {} };

/** Upstream's names, as the 1.36 suite has them. */
export function upstreamNames({ names }: Suite): readonly string[] {
	return readFileSync(join(HERE, names), 'utf8').trim().split('\n');
}

/** Titles of upstream's in the source of the suite: each stands in a call or in a row of a table, once. */
export function titles({ files }: Suite): readonly string[] {
	const found: string[] = [];
	for (const path of globSync(files, { cwd: HERE }))
		for (const [, , title] of readFileSync(join(HERE, path), 'utf8').matchAll(/(['"])(\[sig-.*\[Conformance\])\1/g))
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

export function coverage(suite: Suite): Coverage {
	const names = upstreamNames(suite);
	const ours = titles(suite);
	const wrong = ours.filter((title, i) => !names.includes(title) || ours.indexOf(title) !== i || title in suite.waiting);
	const missing = names.filter((name) => !ours.includes(name) && !(name in suite.waiting));
	return { total: names.length, tested: names.filter((name) => ours.includes(name)).length, missing, wrong };
}

if (import.meta.main)
	for (const [title, suite] of Object.entries({ API, NODE })) {
		const { total, tested, missing, wrong } = coverage(suite);
		console.log(`${title}: ${tested} of ${total}`);
		for (const name of missing) console.log(`missing: ${name}`);
		for (const name of wrong) console.log(`wrong: ${name}`);
	}
