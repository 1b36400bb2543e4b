import { getEventListeners } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { aggregated, allSteps } from './aggregate.ts';
import { abortable, aborted, linked, withDeadline } from './abort.ts';
import { delayMs, retrying } from './backoff.ts';
import { realClock } from './clock.ts';
import { EqualTimers } from './equal-timers.ts';
import { members, Place } from './ring.ts';
import { AppError, codeOf, ignore, ignoreErrno } from './errors.ts';
import { readState, writeAtomic, writeState } from './files.ts';
import { createLog } from './log.ts';
import { Lru } from './lru.ts';
import { createMetrics, SeriesCounter, SeriesHistogram } from './metrics.ts';
import { RotatingFile } from './rotating-file.ts';
import { begunLater, runServices, type Service } from './service.ts';
import { VirtualClock } from './virtual-clock.ts';

test('Lru: what was used last stays, at most so many', (t) => {
	const lru = new Lru<string, number>(4);
	for (const [i, key] of ['a', 'b', 'c', 'a', 'd', 'a', 'e'].entries()) if (lru.get(key) === undefined) lru.set(key, i);
	t.is(lru.get('a'), 0);
	t.is(lru.get('b'), undefined);
	t.true(['a', 'b', 'c', 'd', 'e'].filter((k) => lru.get(k) !== undefined).length <= 4);
	lru.set('a', 9);
	t.is(lru.get('a'), 9);
	for (const key of ['a', 'e']) {
		lru.delete(key);
		t.is(lru.get(key), undefined);
	}
});

test('ring: members stand in the order they came in, leave from anywhere, once or twice, and may come again', (t) => {
	const list = new Place();
	const [a, b, c] = [new Place(), new Place(), new Place()];
	for (const place of [a, b, c]) place.join(list);
	t.deepEqual(members(list), [a, b, c]);
	b.leave();
	b.leave();
	t.deepEqual(members(list), [a, c]);
	t.is(b.after, b);
	b.join(list);
	a.leave();
	t.deepEqual(members(list), [c, b]);
	c.leave();
	b.leave();
	t.deepEqual(members(list), []);
});

test('EqualTimers: each rings at its own time, unless it is taken back; one timer of the clock serves all', async (t) => {
	const clock = new VirtualClock();
	const timers = new EqualTimers(clock, 100);
	const rang: string[] = [];
	const set = (name: string): Disposable => timers.after(() => rang.push(`${name} ${clock.monotonic()}`));
	set('a');
	const b = set('b');
	await clock.advance(30);
	set('c');
	const d = set('d');
	t.is(clock.pending, 1);
	b[Symbol.dispose]();
	await clock.advance(69);
	t.deepEqual(rang, []);
	await clock.advance(1);
	t.deepEqual(rang, ['a 100']);
	d[Symbol.dispose]();
	await clock.advance(30);
	t.deepEqual(rang, ['a 100', 'c 130']);
	t.is(clock.pending, 0);
	set('e');
	await clock.advance(100);
	t.deepEqual(rang, ['a 100', 'c 130', 'e 230']);
});

test('realClock.uuid: version 4, each another one', (t) => {
	const made = new Set(Array.from({ length: 1000 }, () => realClock.uuid()));
	t.is(made.size, 1000);
	for (const one of made) t.regex(one, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('SeriesCounter: series that counted are written', async (t) => {
	const registry = createMetrics();
	const counter = new SeriesCounter({ name: 'c_total', help: 'Help.', registers: [registry] });
	counter.series({ a: 'x' }).value += 2;
	counter.series({ a: 'y' });
	t.is(await registry.metrics(), '# HELP c_total Help.\n# TYPE c_total counter\nc_total{a="x"} 2\n');
});

test('SeriesHistogram: written as the exposition format has it', async (t) => {
	const registry = createMetrics();
	const histogram = new SeriesHistogram({ name: 'h', help: 'Help.', buckets: [1, 2], registers: [registry] });
	const series = histogram.series({ verb: 'GET' });
	for (const value of [0.5, 1, 1.5, 3]) series.observe(value);
	t.is(
		await registry.metrics(),
		`# HELP h Help.
# TYPE h histogram
h_bucket{le="1",verb="GET"} 2
h_bucket{le="2",verb="GET"} 3
h_bucket{le="+Inf",verb="GET"} 4
h_sum{verb="GET"} 6
h_count{verb="GET"} 4
`,
	);
});

test('SeriesHistogram: without labels it is told of before it has seen anything', async (t) => {
	const registry = createMetrics();
	const histogram = new SeriesHistogram({ name: 'h', help: 'Help.', buckets: [1], registers: [registry] });
	histogram.series({});
	t.true((await registry.metrics()).includes('h_count 0\n'));
});

test('VirtualClock: timers fire in order of due time, then of arming', async (t) => {
	const clock = new VirtualClock();
	const fired: string[] = [];
	clock.after(20, () => fired.push('b'));
	clock.after(10, () => fired.push('a'));
	clock.after(20, () => fired.push('c'));
	clock.after(5, () => fired.push('never'))[Symbol.dispose]();
	await clock.advance(15);
	t.deepEqual(fired, ['a']);
	await clock.advance(5);
	t.deepEqual(fired, ['a', 'b', 'c']);
	t.is(clock.pending, 0);
});

test('VirtualClock: an aborted sleep rejects with the reason and leaves no timer', async (t) => {
	const clock = new VirtualClock();
	const stop = new AbortController();
	const slept = clock.sleep(1000, stop.signal);
	stop.abort(new Error('stop'));
	await t.throwsAsync(slept, { message: 'stop' });
	t.is(clock.pending, 0);
});

test('VirtualClock: the same seed gives the same chance', (t) => {
	const [a, b] = [new VirtualClock(0, 7), new VirtualClock(0, 7)];
	t.deepEqual([a.random(), a.uuid()], [b.random(), b.uuid()]);
});

test('real clock: sleeps, and gives up on abort', async (t) => {
	await realClock.sleep(1);
	await t.throwsAsync(realClock.sleep(60_000, AbortSignal.abort(new Error('no'))), { message: 'no' });
});

for (const [name, policy, attempt, random, want] of [
	['the first delay is the initial one', { initialMs: 10, maxMs: 100 }, 0, 0, 10],
	['delays double', { initialMs: 10, maxMs: 100 }, 3, 0, 80],
	['and stop at the cap', { initialMs: 10, maxMs: 100 }, 9, 0, 100],
	['jitter adds its share', { initialMs: 10, maxMs: 100, jitter: 0.5 }, 0, 1, 15],
] as const)
	test(`delayMs(): ${name}`, (t) => t.is(delayMs(policy, attempt, random), want));

test('retrying: waits between tries and stops at what must not be retried', async (t) => {
	const clock = new VirtualClock();
	let tries = 0;
	const done = retrying(clock, { initialMs: 100, maxMs: 1000 }, new AbortController().signal, async () => {
		if (++tries < 3) throw new AppError('Unavailable', 'down');
		return 'up';
	});
	await clock.advance(99);
	t.is(tries, 1);
	await clock.advance(201);
	t.is(await done, 'up');
	const never = retrying(
		clock,
		{ initialMs: 1, maxMs: 1 },
		new AbortController().signal,
		async () => Promise.reject(new AppError('NotFound', 'gone')),
		(error) => codeOf(error) !== 'NotFound',
	);
	await t.throwsAsync(never, { message: 'gone' });
});

test('withDeadline: aborts on time, and disposing it drops the timer', async (t) => {
	const clock = new VirtualClock();
	const late = withDeadline(clock, 50, 'The call');
	await clock.advance(50);
	t.is(codeOf(late.signal.reason), 'DeadlineExceeded');
	withDeadline(clock, 50, 'The call')[Symbol.dispose]();
	t.is(clock.pending, 0);
});

test('abortable: the first of outcome and abort', async (t) => {
	const stop = new AbortController();
	t.is(await abortable(Promise.resolve(1), stop.signal), 1);
	const waiting = abortable(new Promise(() => {}), stop.signal);
	stop.abort(new Error('enough'));
	await t.throwsAsync(waiting, { message: 'enough' });
	const unheard: unknown[] = [];
	const note = (reason: unknown): void => void unheard.push(reason);
	process.on('unhandledRejection', note);
	await t.throwsAsync(abortable(Promise.reject(new Error('failed')), stop.signal), { message: 'enough' });
	await new Promise(setImmediate);
	process.off('unhandledRejection', note);
	t.deepEqual(unheard, [], 'what comes too late is nobody’s');
});

test('aggregated: one failure as it is, several as a list, each text once', async (t) => {
	const [one, same, other] = [new AppError('NotFound', 'a'), new AppError('Aborted', 'a'), new Error('b')];
	t.is(aggregated([one]), one);
	t.is(aggregated([one, same]), one);
	t.like(aggregated([one, other, same]), { code: 'NotFound', message: '[a, b]', cause: one });
	const late = Promise.withResolvers<void>();
	let isOver = false;
	const all = allSteps([Promise.reject(one), late.promise]).finally(() => (isOver = true));
	await new Promise(setImmediate);
	t.false(isOver, 'all are waited for');
	late.reject(other);
	await t.throwsAsync(all, { message: '[a, b]' });
	await t.notThrowsAsync(allSteps([Promise.resolve()]));
});

test('ignore: swallows the named codes only', async (t) => {
	t.is(await Promise.reject(new AppError('NotFound', 'x')).catch(ignore('NotFound')), undefined);
	await t.throwsAsync(Promise.reject(new AppError('Aborted', 'x')).catch(ignore('NotFound')));
	const none = (): Promise<unknown> => readFile('/nowhere');
	t.is(await none().catch(ignoreErrno('ENOENT')), undefined);
	await t.throwsAsync(none().catch(ignoreErrno('EEXIST')), { code: 'ENOENT' });
});

test('files: replaced whole, nothing left behind; state knows its version', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-base-'));
	try {
		const path = join(dir, 'sub', 'state.json');
		await writeAtomic(path, 'one');
		await writeAtomic(path, 'two');
		t.is(await readFile(path, 'utf8'), 'two');
		t.deepEqual(await readdir(join(dir, 'sub')), ['state.json']);
		await writeState(path, 2, { a: 1 });
		t.like(await readState<{ a: number }>(path, 2), { a: 1 });
		await t.throwsAsync(readState(path, 3), { message: /state\.json" has version 2; this program knows version 3/ });
		await writeFile(path, '{');
		await t.throwsAsync(readState(path, 2), { message: /state\.json" is not valid JSON/ });
		t.is(await readState(join(dir, 'none'), 1), undefined);
	} finally {
		await rm(dir, { recursive: true });
	}
});

test('log: fields, errors with causes, children', (t) => {
	const lines: string[] = [];
	const log = createLog({ write: (line) => lines.push(line) }).with({ part: 'x' });
	log.info('hello', { pod: 'a/b' });
	log.error('failed', { error: new AppError('Internal', 'outer', { cause: new Error('inner') }) });
	log.debug('not shown');
	t.is(lines.length, 2);
	t.like(JSON.parse(lines[0] ?? ''), { level: 'info', part: 'x', pod: 'a/b', msg: 'hello' });
	t.like(JSON.parse(lines[1] ?? ''), { error: { message: 'outer', code: 'Internal', cause: { message: 'inner' } } });
});

test('log: how much is written changes for all that came of one', (t) => {
	const lines: string[] = [];
	const log = createLog({ write: (line) => lines.push(line) });
	const child = log.with({ part: 'x' });
	const silent = createLog({ level: 'silent', write: (line) => lines.push(line) });
	child.debug('no');
	for (const each of [log, silent]) each.setLevel?.('debug');
	child.debug('yes');
	silent.error('never');
	child.setLevel?.(undefined);
	log.debug('no more');
	t.deepEqual(
		lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg),
		['yes'],
	);
});

/** A service that records what happens to it. */
function service(name: string, after: readonly string[], happened: string[], failAtStart = false): Service {
	return {
		name,
		after,
		async run(signal, ready) {
			happened.push(`+${name}`);
			if (failAtStart) throw new Error(`${name} broke`);
			ready();
			await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
			happened.push(`-${name}`);
		},
	};
}

test('services: start in order, stop in reverse', async (t) => {
	const happened: string[] = [];
	const stop = new AbortController();
	await runServices([service('c', ['b'], happened), service('a', [], happened), service('b', ['a'], happened)], stop.signal, () =>
		stop.abort(),
	);
	t.deepEqual(happened, ['+a', '+b', '+c', '-c', '-b', '-a']);
});

test('services: a failure stops the rest and is thrown', async (t) => {
	const happened: string[] = [];
	const run = runServices(
		[service('a', [], happened), service('b', ['a'], happened, true), service('c', ['b'], happened)],
		new AbortController().signal,
	);
	await t.throwsAsync(run, { message: 'b broke' });
	t.deepEqual(happened, ['+a', '+b', '-a']);
});

test('services: unknown names and circles are refused', async (t) => {
	const run = (...services: readonly Service[]): Promise<void> => runServices(services, new AbortController().signal);
	await t.throwsAsync(run(service('a', ['x'], [])), { message: 'Service "a" starts after "x", which does not exist' });
	await t.throwsAsync(run(service('a', ['b'], []), service('b', ['a'], [])), { message: /in a circle: a -> b -> a/ });
});

test('services: stopping while one is not ready yet stops those that wait for it too', async (t) => {
	const stop = new AbortController();
	const stopped: string[] = [];
	const slow: Service = { name: 'slow', after: [], run: (signal) => aborted(signal) };
	const waiting: Service = { name: 'waiting', after: ['slow'], run: (signal) => aborted(signal) };
	const done = runServices([waiting, slow], stop.signal, () => {}, { onStopped: (name) => stopped.push(name) });
	await new Promise((resolve) => setImmediate(resolve));
	stop.abort();
	await done;
	t.deepEqual(stopped, ['waiting', 'slow']);
});

test('services: one begun later holds nobody up, begins when told, and never where it is stopped before', async (t) => {
	const [happened, begin] = [[] as string[], Promise.withResolvers<void>()];
	const when = (signal: AbortSignal): Promise<void> => abortable(begin.promise, signal);
	const never = (signal: AbortSignal): Promise<void> => abortable(new Promise(() => {}), signal);
	const stop = new AbortController();
	const later = begunLater(
		{ name: 'later', after: [] },
		(signal) => (happened.push('waits'), when(signal).finally(() => setImmediate(() => stop.abort()))),
		() => (happened.push('made'), [service('b', ['a'], happened), service('a', [], happened)]),
	);
	const allReady = (): void => {
		happened.push('ready');
		begin.resolve();
	};
	await runServices(
		[later, begunLater({ name: 'never', after: [] }, never, () => [service('never begun', [], happened)])],
		stop.signal,
		allReady,
	);
	t.deepEqual(happened, ['waits', 'ready', 'made', '+a', '+b', '-b', '-a']);
	const broken = begunLater(
		{ name: 'broken', after: [] },
		() => Promise.reject(new Error('cannot begin')),
		() => [],
	);
	await t.throwsAsync(runServices([broken], new AbortController().signal), { message: 'cannot begin' });
});

test('linked: aborts with any parent or by itself, and leaves nothing on the parents', (t) => {
	const [a, b] = [new AbortController(), new AbortController()];
	const first = linked(a.signal, b.signal);
	t.is(getEventListeners(a.signal, 'abort').length, 1);
	b.abort(new Error('b'));
	t.is((first.signal.reason as Error).message, 'b');
	t.is(getEventListeners(a.signal, 'abort').length, 0);
	const second = linked(a.signal);
	second[Symbol.dispose]();
	t.is(getEventListeners(a.signal, 'abort').length, 0);
	const third = linked(a.signal);
	third.abort(new Error('own'));
	t.is((third.signal.reason as Error).message, 'own');
	t.true(linked(b.signal).signal.aborted);
	t.is(getEventListeners(a.signal, 'abort').length, 0);
});

test('rotating file: goes on with the old file where it cannot rotate, and a full disk stops nobody', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-log-'));
	const path = join(dir, 'a.log');
	using file = new RotatingFile({ path, maxBytes: 10, keep: 1 });
	file.write('12345678\n');
	// The name of the old file is taken by a folder that is not empty.
	await mkdir(join(dir, 'a.log.1', 'x'), { recursive: true });
	file.write('abcdefgh\n');
	t.is(await readFile(path, 'utf8'), '12345678\nabcdefgh\n');
	using full = new RotatingFile({ path: '/dev/full' });
	t.notThrows(() => full.write('lost\n'));
	await rm(dir, { recursive: true });
});
