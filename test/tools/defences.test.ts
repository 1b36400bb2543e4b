/** What the lists of defences name stands in the sources, once: `npm run soak` takes out that and nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { DEFENCES as AGENT } from '../crash/agent/defences.ts';
import { DEFENCES as CRI } from '../crash/cri/defences.ts';
import { DEFENCES as CSI } from '../crash/csi/defences.ts';

const ROOT = join(import.meta.dirname, '..', '..');

for (const [name, { list }] of Object.entries({ AGENT, CRI, CSI }))
	test(`${name}: each defence stands once in its file`, (t) => {
		for (const { file, from, also } of list) {
			const source = readFileSync(join(ROOT, file), 'utf8');
			for (const text of also === undefined ? [from] : [from, also[0]]) t.is(source.split(text).length - 1, 1, `${file}: ${text}`);
		}
	});
