/** The reflector against servers that misbehave in their own ways. */
import test from 'ava';
import type { ConfigMap, Status } from '../api/gen/types.ts';
import { CONFIG_MAPS } from '../api/resources.ts';
import { StatusError } from '../api/status.ts';
import { AppError } from '../base/errors.ts';
import { noLog } from '../base/log.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Client, List, ListOptions, WatchEvent, WatchOptions } from './client.ts';
import { reflect } from './reflector.ts';

type Event = WatchEvent<ConfigMap>;

const map = (name: string, resourceVersion: string): ConfigMap => ({ metadata: { name, resourceVersion, uid: name } });
const bookmark = (resourceVersion: string, end = false): Event => ({
	type: 'BOOKMARK',
	object: { metadata: { resourceVersion, ...(end ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}) } },
});
const refused = (code: number): StatusError =>
	new StatusError({ metadata: {}, status: 'Failure', code, reason: 'Expired', message: `${code}` } as Status);

/** A client whose list and watch are scripts; a watch that ends its script stays open until the signal aborts or `close` is called. */
function scripted(
	watch: (options: WatchOptions, count: number) => Iterable<Event> | Promise<void>,
	list: (options: ListOptions) => List<ConfigMap> = () => {
		throw refused(404);
	},
): { client: Client; watches: WatchOptions[]; lists: ListOptions[]; close: () => void } {
	const watches: WatchOptions[] = [];
	const lists: ListOptions[] = [];
	let close = (): void => {};
	const client = {
		async *watch(_resource: unknown, options: WatchOptions) {
			watches.push(options);
			const script = watch(options, watches.length);
			if (script instanceof Promise) await script;
			else yield* script;
			await new Promise<void>((resolve, reject) => {
				close = resolve;
				options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error), { once: true });
			});
		},
		list: (_resource: unknown, options: ListOptions) => {
			lists.push(options);
			return Promise.resolve().then(() => list(options));
		},
	} as unknown as Client;
	return { client, watches, lists, close: () => close() };
}

async function run(client: Client, body: (clock: VirtualClock, seen: string[]) => Promise<void>): Promise<void> {
	const clock = new VirtualClock();
	const stop = new AbortController();
	const seen: string[] = [];
	const done = (async () => {
		for await (const event of reflect({ client, resource: CONFIG_MAPS, clock, log: noLog }, stop.signal))
			seen.push('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type);
	})().catch(() => {});
	await clock.advance(0);
	await body(clock, seen);
	stop.abort();
	await done;
}

test('an object deleted before the initial state is complete is not in it', async (t) => {
	const { client } = scripted(() => [
		{ type: 'ADDED', object: map('a', '1') },
		{ type: 'ADDED', object: map('b', '2') },
		{ type: 'DELETED', object: map('a', '3') },
		bookmark('3', true),
	]);
	await run(client, (_clock, seen) => {
		t.deepEqual(seen, ['init', 'initApply a', 'initApply b', 'initDelete a', 'initDone']);
		return Promise.resolve();
	});
});

test('failures long ago do not slow down the answer to a new one', async (t) => {
	let down = true;
	const script = scripted(() => (down ? Promise.reject(new AppError('Unavailable', 'down')) : [bookmark('1', true)]));
	await run(script.client, async (clock) => {
		await clock.advance(120_000);
		down = false;
		await clock.advance(60_000);
		const before = script.watches.length;
		await clock.advance(300_000); // healthy for minutes; then the server ends the watch, and is away for a moment
		t.is(script.watches.length, before);
		down = true;
		script.close();
		await clock.advance(50);
		down = false;
		await clock.advance(1000);
		t.is(script.watches.at(-1)?.resourceVersion, '1');
		t.true(script.watches.length >= before + 2, 'asked again within a second');
	});
});

for (const code of [400, 422, 500])
	test(`a server that refuses WatchList with ${code} is listed at once`, async (t) => {
		const script = scripted(
			(options) => (options.sendInitialEvents === true ? Promise.reject(refused(code)) : []),
			() => ({ metadata: { resourceVersion: '6' }, items: [map('a', '1')] }),
		);
		await run(script.client, async (clock, seen) => {
			await clock.advance(1);
			t.deepEqual(seen.slice(seen.lastIndexOf('init')), ['init', 'initApply a', 'initDone']);
			t.is(script.watches.at(-1)?.resourceVersion, '6');
		});
	});

test('a list whose continue token expires is read whole', async (t) => {
	const script = scripted(
		(options) => (options.sendInitialEvents === true ? Promise.reject(refused(422)) : []),
		(options) => {
			if (options.continue !== undefined) throw refused(410);
			if (options.limit !== undefined) return { metadata: { resourceVersion: '5', continue: 'next' }, items: [map('a', '1')] };
			return { metadata: { resourceVersion: '6' }, items: [map('a', '1'), map('b', '2')] };
		},
	);
	await run(script.client, async (clock, seen) => {
		await clock.advance(1000);
		t.deepEqual(seen.slice(seen.lastIndexOf('init')), ['init', 'initApply a', 'initApply b', 'initDone']);
		t.is(script.watches.at(-1)?.resourceVersion, '6');
	});
});

test('a server that closes every watch at once is not asked in a busy loop', async (t) => {
	let asked = 0;
	const client = {
		// eslint-disable-next-line require-yield
		async *watch() {
			asked++;
			await Promise.resolve();
			if (asked === 1) yield bookmark('1', true);
		},
	} as unknown as Client;
	await run(client, async (clock) => {
		await clock.advance(10_000);
		t.true(asked < 15, `${asked}`);
	});
});
