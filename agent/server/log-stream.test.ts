/** What is read of a log's file. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import type { LogOptions } from './log-options.ts';
import { readLog } from './log-stream.ts';

const ALL: LogOptions = {
	follow: false,
	previous: false,
	timestamps: false,
	since: undefined,
	tailLines: undefined,
	limitBytes: undefined,
	stream: undefined,
};
const line = (text: string): string => `2016-10-20T18:39:20.576064430Z stdout F ${text}\n`;

for (const [what, tailLines, least] of [
	['two lines', 2, 2],
	['none', 0, 0],
	['more than there are', 10, 3],
] as const)
	test(`readLog(): of a log that grows while it is read, ${what} from its end are no more than that`, async (t) => {
		const dir = await mkdtemp(join(tmpdir(), 'log-stream-'));
		t.teardown(() => rm(dir, { recursive: true }));
		const path = join(dir, '0.log');
		writeFileSync(path, ['a', 'b', 'c'].map(line).join(''));
		let isRead = false;
		let more = 0;
		const grow = (): void => {
			if (isRead) return;
			appendFileSync(path, line(`more ${more++}`));
			setImmediate(grow);
		};
		setImmediate(grow);
		const chunks: Uint8Array[] = [];
		const running = (): Promise<boolean> => Promise.resolve(true);
		for await (const chunk of readLog({ path, clock: realClock, running }, { ...ALL, tailLines }, new AbortController().signal))
			chunks.push(chunk);
		isRead = true;
		const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
		t.true(lines.length >= least && lines.length <= tailLines, `${lines.length} lines`);
	});
