/** Who is told of a change: every watch whose prefix its key has, however the prefix was cut and whenever it was asked for. */
import test from 'ava';
import { ChangeRing } from './change-ring.ts';
import type { Change } from './store.ts';

test('ChangeRing: a change reaches those who watch its key, its folder, what is above, and parts of names, also once the folder is known', (t) => {
	let revision = 0n;
	const ring = new ChangeRing(0n, () => revision);
	const push = (key: string): void => ring.push([{ key, revision: ++revision } as Change]);
	const watched = ['', '/a/', '/a/b/', '/a/b/c', '/a/b/cd', '/a/bb/', '/b/'];
	const seen = new Map<string, string[]>();
	const watch = (prefix: string): Disposable => {
		const got: string[] = [];
		seen.set(prefix, got);
		const follower = ring.follow(prefix, revision, () => got.push(...(follower.take(100)?.changes ?? []).map(({ key }) => key)));
		return follower;
	};
	push('/a/b/cd');
	const first = watched.slice(0, 4).map(watch);
	push('/a/b/cd');
	const second = watched.slice(4).map(watch);
	push('/a/b/ce');
	push('/a/b/cde');
	push('/a/bb/cd');
	for (const one of first) one[Symbol.dispose]();
	push('/a/b/cd');
	push('/b/x');
	const early = ['/a/b/cd', '/a/b/ce', '/a/b/cde', '/a/bb/cd'];
	t.deepEqual(Object.fromEntries(seen), {
		'': early,
		'/a/': early,
		'/a/b/': early.slice(0, 3),
		'/a/b/c': early.slice(0, 3),
		'/a/b/cd': ['/a/b/cde', '/a/b/cd'],
		'/a/bb/': ['/a/bb/cd'],
		'/b/': ['/b/x'],
	});
	for (const one of second) one[Symbol.dispose]();
});

test('ChangeRing: who begins anew when it is told that its past is gone is told once', (t) => {
	const ring = new ChangeRing(0n, () => 5n);
	let told = 0;
	const begin = (): void => {
		const follower = ring.follow('', 5n, () => {
			if (++told > 3) return;
			t.throws(() => follower.take(1));
			follower[Symbol.dispose]();
			begin();
		});
	};
	begin();
	ring.forget(5n);
	t.is(told, 1);
});
