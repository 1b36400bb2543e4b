/** Options of bind mounts, as tables. */
import test from 'ava';
import { hasOptions, isOfMount, remountOptions } from './mount-options.ts';

for (const [name, shown, wanted, want] of [
	['nothing wanted', ['rw', 'relatime'], [], true],
	['what is shown', ['rw', 'nosuid', 'noexec', 'relatime'], ['noexec', 'nosuid'], true],
	['what is not', ['rw', 'nosuid', 'relatime'], ['noexec'], false],
	['read-only', ['ro', 'relatime'], ['ro'], true],
	['read-only, and it is not', ['rw', 'relatime'], ['ro'], false],
	['what was taken back', ['rw', 'relatime'], ['noexec', 'exec', 'ro', 'rw'], true],
	['what was taken away and is there', ['rw', 'noexec'], ['exec'], false],
	['strict times', ['rw'], ['strictatime'], true],
	['strict times, and they are not', ['rw', 'relatime'], ['strictatime'], false],
	['usual times', ['rw', 'relatime'], ['relatime', 'defaults'], true],
] as const)
	test(`options of a mount: ${name}`, (t) => t.is(hasOptions(shown, wanted), want));

test('options of a mount: a remount keeps what was there', (t) =>
	t.deepEqual(remountOptions(['rw', 'nosuid', 'noatime', 'idmapped'], ['ro']), ['remount', 'bind', 'nosuid', 'noatime', 'ro']));

test('options of a mount: those of file systems are none', (t) =>
	t.deepEqual(['noexec', 'defaults', 'discard', 'data=journal', 'context=x'].filter(isOfMount), ['noexec', 'defaults']));
