import test from 'ava';
import type { Draft } from '../strategy/strategy.ts';
import { dropRepeatedOwners } from './owner-references.ts';

const owner = (uid: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid, ...more });
const told = (owners: readonly object[]): { readonly kept: unknown; readonly warnings: readonly string[] } => {
	const draft = { metadata: { ownerReferences: owners } } as unknown as Draft;
	const warnings: string[] = [];
	dropRepeatedOwners(draft, (text) => warnings.push(text), false);
	return { kept: draft.metadata.ownerReferences, warnings };
};

test('an owner named twice in the same words is kept once, whatever their order', (t) => {
	const again = { uid: '1', name: 'a', kind: 'ConfigMap', apiVersion: 'v1', controller: undefined };
	const { kept, warnings } = told([owner('1'), owner('2'), again, owner('2', { controller: true })]);
	t.deepEqual(kept, [owner('1'), owner('2'), owner('2', { controller: true })]);
	t.regex(warnings.join(), /duplicate UID\(s\) observed: 1$/);
});

test('many owners are looked at in the time of their number', (t) => {
	const started = performance.now();
	told(Array.from({ length: 20_000 }, (_, i) => owner(String(i))));
	t.true(performance.now() - started < 2000);
});
