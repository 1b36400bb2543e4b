/** How long files may be: past this, a file does a second thing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceFile } from './imports.ts';

const MOST_LINES = 300;
/** Tests are tables, and one file holds a folder's. */
const MOST_TEST_LINES = 400;

/** Files that are too long, one line each; generated ones may be. */
export function tooLong(files: readonly SourceFile[], root: string): readonly string[] {
	const found: string[] = [];
	for (const { path } of files) {
		if (path.split('/').includes('gen')) continue;
		const most = path.endsWith('.test.ts') ? MOST_TEST_LINES : MOST_LINES;
		const lines = readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length;
		if (lines > most) found.push(`${path} has ${lines} lines, more than ${most}: what second thing does it do?`);
	}
	return found;
}
