import test from 'ava';
import { setImmediate } from 'node:timers/promises';
import { SharedLooks } from './shared-looks.ts';

/** Looks that end when told to, by the key and how many there were before. */
function scripted() {
	const begun: { readonly key: string; readonly end: PromiseWithResolvers<string> }[] = [];
	const looks = new SharedLooks((key) => {
		const end = Promise.withResolvers<string>();
		begun.push({ key, end });
		return end.promise;
	});
	return { looks, begun };
}

test('who asks while a look is under way shares the next one, which is no older than the question', async (t) => {
	const { looks, begun } = scripted();
	const first = looks.at('a');
	const [second, third] = [looks.at('a'), looks.at('a')];
	t.is(begun.length, 1);
	begun[0]?.end.resolve('old');
	t.is(await first, 'old');
	await setImmediate();
	t.is(begun.length, 2);
	begun[1]?.end.resolve('new');
	t.deepEqual(await Promise.all([second, third]), ['new', 'new']);
	await setImmediate();
	const last = looks.at('a');
	t.is(begun.length, 3, 'what is over is not told again');
	begun[2]?.end.resolve('newest');
	t.is(await last, 'newest');
});

test('a look that fails fails for those who share it, not for the next', async (t) => {
	const { looks, begun } = scripted();
	const [first, second] = [looks.at('a'), looks.at('a')];
	begun[0]?.end.reject(new Error('away'));
	await t.throwsAsync(first, { message: 'away' });
	await setImmediate();
	begun[1]?.end.resolve('back');
	t.is(await second, 'back');
});

test('looks at different things do not wait for each other', async (t) => {
	const { looks, begun } = scripted();
	const both = ['a', 'b'].map((key) => looks.at(key));
	for (const { key, end } of begun) end.resolve(key);
	t.deepEqual(await Promise.all(both), ['a', 'b']);
});
