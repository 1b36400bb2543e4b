import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { Turns } from '../../../base/turns.ts';
import type { Encoded, Entry } from '../../storage/store.ts';
import type { Kind } from './kinds.ts';
import { readyToList } from './ready-to-list.ts';

const ITEM_MS = 1;
const { signal } = new AbortController();

test('readyToList(): others have their turns while many objects are read, and what is known is read no more', async (t) => {
	const entries = Array.from({ length: 20 }, () => ({ value: {} }) as Entry);
	const read = new Set<Encoded>();
	let rounds = 0;
	const custom = {
		ready: () => undefined,
		isRead: (value: Encoded) => read.has(value),
		read(value: Encoded) {
			t.false(read.has(value));
			read.add(value);
			for (const until = performance.now() + ITEM_MS; performance.now() < until; );
		},
	};
	const kind = { custom } as unknown as Kind;
	const others = setInterval(() => rounds++, 0);
	await readyToList(new Turns(realClock), kind, entries, signal);
	clearInterval(others);
	t.is(read.size, entries.length);
	t.true(rounds > 1, String(rounds));
	await readyToList(new Turns(realClock), kind, entries, signal);
});
