import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { ListBody } from './list-body.ts';
import type { Outlet } from './pushed-body.ts';
import { TimedBody, type WritingTimes } from './timed-body.ts';

const bytes = Buffer.from('{"kind":"A","metadata":{}}');
const pieces = Array.from({ length: 4 }, () => ({
	value: { bytes, versionAt: bytes.length, labels: {}, fields: {} },
	revision: undefined,
}));
const text = { first: '[', last: ']', skip: 0, pieceBytes: 20 };

test('a list that waits for its client: the time of all, and of what was the client', async (t) => {
	const clock = new VirtualClock();
	const told: WritingTimes[] = [];
	const body = new TimedBody(new ListBody(pieces, text), clock, (times) => told.push(times));
	let sent = '';
	let ended = false;
	const connection = {};
	const outlet: Outlet = {
		returns: true,
		connection,
		write(piece) {
			sent += Buffer.from(piece).toString();
			return false;
		},
		end: () => void (ended = true),
	};
	body.start(outlet);
	while (!ended) {
		t.deepEqual(told, [], 'only at the end');
		await clock.advance(100);
		body.resume();
	}
	t.deepEqual(told, [{ totalMs: 300, waitedMs: 300 }]);
	t.is((JSON.parse(sent) as unknown[]).length, pieces.length);
	t.is(body.sentBytes, sent.length);
});
