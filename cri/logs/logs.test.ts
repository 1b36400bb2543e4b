/** Log lines: how output is cut into them, read back, and found again in the engine's copy. */
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { AppError } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { bytesOf, writtenCount } from './align.ts';
import { FrameCutter, PlainCutter } from './engine-log.ts';
import type { Engine } from '../engine/engine.ts';
import type { ContainerRecord } from '../state/records.ts';
import { RuntimeState } from '../state/state.ts';
import { followSoon } from './follow-new.ts';
import { formatEntry, LineSplitter, MAX_LINE_BYTES, parseEntries } from './format.ts';
import { tailOf } from './tail.ts';
import { earlier, Timestamps } from './timestamp.ts';

const split = (...chunks: readonly string[]): string[] => {
	const out: string[] = [];
	const splitter = new LineSplitter();
	const emit = (line: Buffer, full: boolean): void => void out.push(`${full ? 'F' : 'P'} ${line.toString()}`);
	for (const chunk of chunks) splitter.push(Buffer.from(chunk), emit);
	splitter.end(emit);
	return out;
};
const LONG = 'x'.repeat(MAX_LINE_BYTES);
for (const [name, chunks, want] of [
	['lines', ['a\nb\n'], ['F a', 'F b']],
	['a line in pieces', ['a', 'b', 'c\n'], ['F abc']],
	['empty lines', ['\n\n'], ['F ', 'F ']],
	['an end without newline', ['a\nb'], ['F a', 'P b']],
	['a long line', [`${LONG}yz\n`], [`P ${LONG}`, 'F yz']],
	['a long line in pieces', [LONG.slice(1), 'xy\n'], [`P ${LONG}`, 'F y']],
	['exactly the longest', [`${LONG}\n`], [`F ${LONG}`]],
] as const)
	test(`log lines: ${name}`, (t) => t.deepEqual(split(...chunks), [...want]));
test('log entries read back, pieces joined', (t) => {
	const text = Buffer.concat([
		formatEntry('2026-01-01T00:00:00.000000000Z', 'stdout', Buffer.from('ab'), false),
		formatEntry('2026-01-01T00:00:00.000000001Z', 'stderr', Buffer.from('e'), true),
		formatEntry('2026-01-01T00:00:00.000000002Z', 'stdout', Buffer.from('cd'), true),
		formatEntry('2026-01-01T00:00:00.000000003Z', 'stderr', Buffer.from('open'), false),
	]).toString();
	t.deepEqual(
		Object.entries(parseEntries(text)).map(([stream, { lines, open }]) => [stream, lines.map((l) => l.text).join(), open]),
		[
			['stdout', 'abcd', ''],
			['stderr', 'e', 'open'],
		],
	);
});

const at = (ms: number, text: string): { time: string; stream: 'stdout'; text: string } => ({
	time: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
	stream: 'stdout',
	text,
});
for (const [name, file, engine, want] of [
	['an empty file', [], [at(0, 'a')], 0],
	['everything is there', [at(1, 'a'), at(2, 'b')], [at(0, 'a'), at(1, 'b')], 2],
	['the rest is missing', [at(1, 'a')], [at(0, 'a'), at(1, 'b')], 1],
	['the engine starts later than the file', [at(1, 'a'), at(2, 'b')], [at(1, 'b'), at(3, 'c')], 1],
	['the file starts later than the engine', [at(3, 'b')], [at(0, 'a'), at(2, 'b'), at(4, 'c')], 2],
	['repeated lines are told apart by time', [at(11, 'y'), at(21, 'y')], [at(10, 'y'), at(20, 'y'), at(30, 'y'), at(40, 'y')], 2],
	['nothing in common', [at(1, 'q')], [at(2, 'a')], 0],
	["the beginning of the engine's first line is missing", [at(1, 'abc'), at(2, 'd')], [at(1, 'bc'), at(2, 'd'), at(3, 'e')], 2],
] as const)
	test(`resuming a log: ${name}`, (t) => t.is(writtenCount({ lines: file, open: '' }, engine), want));
for (const [name, file, engine, want] of [
	['equal lines, times of the file a little before', [at(9, 'y'), at(9, 'y')], [at(10, 'y'), at(11, 'y')], 2],
	['equal lines, of which some are missing', [at(11, 'y')], [at(10, 'y'), at(10, 'y'), at(11, 'y')], 1],
	['the engine has lost the beginning', [at(1, 'a'), at(2, 'y'), at(3, 'y')], [at(2, 'y'), at(3, 'y'), at(9, 'y')], 2],
	[
		'the engine has lost the beginning of many that are equal',
		[at(1, 'y'), at(2, 'y'), at(90, 'y')],
		[at(88, 'y'), at(200, 'y'), at(201, 'y')],
		1,
	],
	['another text', [at(1, 'a'), at(2, 'b')], [at(1, 'c'), at(2, 'd')], 0],
] as const)
	test(`resuming a log from its first line on: ${name}`, (t) => t.is(writtenCount({ lines: file, open: '' }, engine, true), want));
test('resuming a log: a line that is open must begin the next', (t) => {
	const engine = [at(0, 'y'), at(1, 'y'), at(2, 'open and whole')];
	t.is(writtenCount({ lines: [at(1, 'y')], open: 'open' }, engine), 2);
	t.is(writtenCount({ lines: [], open: 'y' }, engine), 0);
});
test('resuming a log: bytes that the engine could not keep do not count', (t) => {
	const raw = Buffer.from('a\xff\xfeb', 'latin1').toString('latin1');
	const kept = Buffer.from('a\ufffd\ufffdb').toString('latin1');
	t.is(writtenCount({ lines: [at(1, raw)], open: '' }, [at(0, kept), at(2, 'next')]), 1);
	t.is(bytesOf(raw, `${kept} and on`), kept.length);
	t.is(bytesOf('plain', 'plain and on'), 5);
});
test('resuming a log: 200,000 equal lines are no long search', (t) => {
	const engine = Array.from({ length: 200_000 }, (_, i) => at(i, 'y'));
	const started = process.cpuUsage();
	t.is(writtenCount({ lines: engine.slice(0, 1000), open: '' }, engine), 1000);
	t.true(process.cpuUsage(started).user < 1_000_000);
});

const entries = (...texts: readonly string[]): string => texts.map((text) => `2026-01-01T00:00:00.000000000Z stdout F ${text}\n`).join('');
const LARGE = 'x'.repeat(10_000);
for (const [name, files, want, mended] of [
	['a file alone', { 'main.log': entries('a', 'b') }, 'a,b from the start', undefined],
	['none', {}, ' from the start', undefined],
	['one rotation', { 'main.log': entries('c'), 'main.log.1': entries('a', 'b') }, 'a,b,c from the start', undefined],
	['two rotations, the second at once', { 'main.log': '', 'main.log.1': entries('a'), 'main.log.2': '' }, 'a from the start', undefined],
	['a rotation whose new file was not made', { 'main.log.1': entries('a'), 'main.log.2': entries('b') }, 'a,b from the start', undefined],
	['older ones compressed', { 'main.log': '', 'main.log.1.gz': 'gz', 'main.log.2': entries('b') }, 'b later', undefined],
	['a line cut short', { 'main.log': `${entries('a')}2026` }, 'a from the start', entries('a')],
	[
		'a line cut short before the rotation was told',
		{ 'main.log.1': `${entries('a')}2026`, 'main.log': '' },
		'a from the start',
		entries('a'),
	],
	[
		'enough in the last',
		{ 'main.log': entries(...Array(30).fill(LARGE)), 'main.log.1': entries('a') },
		`${Array(26).fill(LARGE).join()} later`,
		undefined,
	],
] as const)
	test(`the end of a log that was rotated: ${name}`, async (t) => {
		const dir = mkdtempSync(join(tmpdir(), 'kubeling-tail-'));
		t.teardown(() => rmSync(dir, { recursive: true }));
		for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text);
		const { stdout, from } = await tailOf(join(dir, 'main.log'), dir);
		t.is(`${stdout.lines.map((line) => line.text).join()} ${from === undefined ? 'from the start' : 'later'}`, want);
		const first = Object.keys(files)[0];
		if (mended !== undefined) t.is(readFileSync(join(dir, first as string), 'utf8'), mended);
	});

const TIME = '2026-01-01T00:00:00.000000000Z';
const frame = (stream: number, text: string): Buffer => {
	const head = Buffer.alloc(8);
	head[0] = stream;
	head.writeUInt32BE(text.length + TIME.length + 1, 4);
	return Buffer.concat([head, Buffer.from(`${TIME} ${text}`)]);
};
for (const size of [1, 7, 100, 1_000_000])
	test(`the engine's log in chunks of ${size} bytes: frames, each with its time`, (t) => {
		const long = 'x'.repeat(16 * 1024);
		const all = Buffer.concat([frame(1, 'a\n'), frame(2, long), frame(2, 'end\n')]);
		const cutter = new FrameCutter();
		const pieces = [];
		for (let at = 0; at < all.length; at += size) pieces.push(...cutter.push(all.subarray(at, at + size)));
		t.deepEqual(
			pieces.map((p) => [p.stream, p.time, p.text.toString()]),
			[
				['stdout', TIME, 'a\n'],
				['stderr', TIME, long],
				['stderr', TIME, 'end\n'],
			],
		);
		const bare = Buffer.from(`${TIME} a\n${TIME} ${long}${TIME} end\n${TIME} no newline`);
		const plain = new PlainCutter();
		const lines = [];
		for (let at = 0; at < bare.length; at += size) lines.push(...plain.push(bare.subarray(at, at + size)));
		t.deepEqual(
			[...lines, ...plain.end()].map((p) => p.text.toString()),
			['a\n', long, 'end\n', 'no newline'],
		);
	});

test('times of lines have nanoseconds and do not go back; an earlier time keeps them', async (t) => {
	const clock = new VirtualClock(Date.UTC(2026, 0, 1));
	const times = new Timestamps(clock);
	const first = times.now();
	t.regex(first, /^2026-01-01T00:00:00\.\d{9}Z$/);
	await clock.advance(1.5);
	t.true(times.now() > first);
	t.is(earlier('2026-01-01T00:00:01.123456789Z', 1000), '2026-01-01T00:00:00.123456789Z');
});
test('times of lines are never behind the clock, which tells whole milliseconds', (t) => {
	const ticks = [
		[1000, 0],
		[1001, 0.3],
		[1001, 0.4],
		[1003, 2.2],
		[900, 2.3],
	] as const;
	let at = 0;
	const clock = { now: () => ticks[at]?.[0] ?? 0, monotonic: () => ticks[at]?.[1] ?? 0 } as unknown as VirtualClock;
	const times = new Timestamps(clock);
	const told = ticks.map((_, i) => {
		at = i;
		return times.now().slice(17);
	});
	t.deepEqual(told, ['01.000000000Z', '01.001000000Z', '01.001100000Z', '01.003000000Z', '00.900000000Z']);
});

test('a new container is followed unless it has been removed meanwhile, and nobody hears of a failure', async (t) => {
	const record = { id: 'c1', sandboxId: 's1', name: 'c', logPath: '/logs/c.log', config: {} } as ContainerRecord;
	const state = new RuntimeState({} as Engine);
	const asked: string[] = [];
	const logs = {
		attached: async ({ id }: { readonly id: string }): Promise<void> => {
			asked.push(id);
			throw new AppError('Unavailable', 'The engine is away');
		},
	};
	const clock = new VirtualClock();
	const context = { state, logs, log: noLog, clock };
	followSoon(context, record);
	await clock.advance(1000);
	t.deepEqual(asked, []);
	state.addCreated(record);
	followSoon(context, record);
	await clock.advance(0);
	t.deepEqual(asked, [], 'not before whoever waits for the container is answered');
	await clock.advance(1000);
	t.deepEqual(asked, ['c1']);
});
