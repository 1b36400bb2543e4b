import test from 'ava';
import type { KubeObject } from '../api/resource.ts';
import { Assumed } from './assumed.ts';
import { Cache, type Change } from './cache.ts';
import type { Informer } from './informer.ts';

const one = (resourceVersion: string, text = ''): KubeObject => ({ metadata: { name: 'x', resourceVersion, labels: { text } } });

/** What an informer is to who reads it: a cache, and a word of every change. */
function shown(): { readonly informer: Informer<KubeObject>; show(object: KubeObject): void; remove(): void } {
	const lister = new Cache<KubeObject>();
	let told: (change: Change<KubeObject>) => void = () => {};
	const tell = (change: Change<KubeObject> | undefined): void => void (change !== undefined && told(change));
	const subscribe = (fn: typeof told): Disposable => {
		told = fn;
		return { [Symbol.dispose]: () => {} };
	};
	return {
		informer: { lister, subscribe } as unknown as Informer<KubeObject>,
		show: (object) => tell(lister.apply(object)),
		remove: () => tell(lister.delete('x')),
	};
}
const textOf = (cache: Assumed<KubeObject>): unknown => [
	cache.get('x')?.metadata.labels?.['text'],
	cache.list()[0]?.metadata.labels?.['text'],
];

test('what is believed stands in the place of what is shown, until something newer is', (t) => {
	const { informer, show, remove } = shown();
	const cache = new Assumed(informer);
	show(one('9', 'shown'));
	cache.assume(one('9', 'meant'));
	t.deepEqual(textOf(cache), ['meant', 'meant']);
	cache.restore('x');
	t.deepEqual(textOf(cache), ['shown', 'shown']);
	cache.assume(one('10', 'written'));
	t.deepEqual(textOf(cache), ['written', 'written']);
	show(one('11', 'later'));
	t.deepEqual(textOf(cache), ['later', 'later']);
	cache.assume(one('10', 'written'));
	t.deepEqual(textOf(cache), ['later', 'later'], 'older than what is shown');
	cache.assume(one('12', 'written'));
	remove();
	t.deepEqual(textOf(cache), [undefined, undefined]);
	cache.assume(one('12', 'written'));
	t.deepEqual(textOf(cache), [undefined, undefined], 'of one that is gone nothing is believed');
});
